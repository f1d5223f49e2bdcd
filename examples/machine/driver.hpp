// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <deque>
#include <string>
#include <vector>

#include "line.hpp"
#include "sim/machine/torus.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/message_driver.hpp"

namespace ht::grid {

/// Where a node stands on the torus.
struct Place {
  std::vector<int> shape, coordinates;  ///< x first
  int rank = 0;
  int number() const { return rank; }
};

/// Settings of the driver.
struct DriverOptions {
  std::uint32_t session = 1;        ///< both ends of a link must have the same, 0 to 255
  std::uint32_t ack_timeout = 255;  ///< cycles without an answer after which a frame is repeated
  Picoseconds link_up_timeout = 1'000'000'000;
};

/// What a link counted: its registers 16 to 27 (README.md).
struct LinkCounters {
  std::uint32_t sent, resent, refused, accepted, duplicates, turned_away;
  std::uint32_t code_errors, framing_errors, crc_errors, strangers, tx_checksum, rx_checksum;
};

struct Message : qmp::DriverMessage {
  std::size_t link = 0, queue = 0;  ///< queue: sending on channel 0 and 1, receiving on 0 and 1
  bool over = false;                ///< the link is done with it
};

/// The driver: QMP's messages over grid_node's registers. A link does one message a queue at a
/// time; further ones wait here.
class Driver final : public qmp::MessageDriver<Message> {
 public:
  Driver(host::HardwarePort& port, Place place, DriverOptions options)
      : MessageDriver(port, {.memory_unit = line_bytes,
                             .message_unit = line_bytes,
                             .start_cost = 50'000,
                             .poll_cost = 20'000}),
        place_(std::move(place)),
        options_(options) {}

  /// Switches all links on and waits for them. Throws TimeoutError.
  void bring_up() {
    for (std::size_t link = 0; link < links; ++link) {
      port_.write_register(address_of(link, timeout), options_.ack_timeout);
      port_.write_register(address_of(link, control), options_.session << 8 | 1);
    }
    const Picoseconds end = port_.now() + options_.link_up_timeout;
    for (std::size_t link = 0; link < links; ++link) {
      while ((port_.read_register(address_of(link, status)) & 3) != 2) {
        const int i = static_cast<int>(link);
        if (port_.now() > end)
          throw TimeoutError(
              fmt::format("{}: link {} did not come up; {} frames of another version or session",
                          name(), machine::link_name(i), read_counters(i).strangers));
        port_.advance(1'000'000);
      }
    }
  }

  LinkCounters read_counters(int link) {
    std::array<std::uint32_t, sizeof(LinkCounters) / 4> values;
    for (unsigned i = 0; i < values.size(); ++i)
      values[i] = port_.read_register(address_of(static_cast<std::size_t>(link), counters + i));
    return std::bit_cast<LinkCounters>(values);
  }

  const Place& place() const { return place_; }
  std::span<const int> shape() const override { return place_.shape; }
  std::span<const int> coordinates() const override { return place_.coordinates; }
  int rank() const override { return place_.rank; }
  std::string description() const override {
    return fmt::format("Grid torus {}", fmt::join(place_.shape, "x"));
  }
  std::size_t granularity() const override { return line_bytes; }

 private:
  // Registers of a link; a queue has two, where its message is and how many frames it has.
  enum Register : unsigned { control = 1, status = 2, timeout = 3, queues = 4, counters = 16 };
  static std::uint32_t address_of(std::size_t link, unsigned reg) {
    return static_cast<std::uint32_t>(32 * link) + reg;
  }

  std::string name() const override { return fmt::format("node {}", place_.rank); }

  Message address(qmp::Direction direction, qmp::Channel channel, bool send) override {
    if (direction < 0 || direction >= 2 * static_cast<int>(place_.shape.size()))
      throw UsageError(fmt::format("{}: direction {} on a torus of {} axes", name(), direction,
                                   place_.shape.size()));
    Message m;
    m.send = send;
    m.link = static_cast<std::size_t>(direction);
    m.queue = (send ? 0U : 2U) + static_cast<std::size_t>(channel);
    m.far_end = fmt::format("{}, channel {}", machine::link_name(direction), m.queue & 1);
    return m;
  }

  void launch(qmp::MessageId /*id*/, Message& m) override {
    m.over = false;
    auto& queue = waiting_[m.link][m.queue];
    queue.push_back(&m);
    if (queue.size() == 1) hand_over(m);
  }
  void hand_over(const Message& m) {
    const std::uint32_t first = address_of(m.link, queues + 2 * static_cast<unsigned>(m.queue));
    port_.write_register(first, static_cast<std::uint32_t>(m.offset / line_bytes));
    port_.write_register(first + 1, static_cast<std::uint32_t>(whole_units(m.bytes) / line_bytes));
  }
  bool landed(const Message& m) override { return m.over; }

  // Takes what links are done with from the queues, and gives them the next.
  void progress() override {
    for (std::size_t link = 0; link < links; ++link) {
      std::uint32_t active = 0;
      bool read = false;
      for (std::size_t i = 0; i < waiting_[link].size(); ++i) {
        auto& queue = waiting_[link][i];
        if (queue.empty()) continue;
        if (!read) active = port_.read_register(address_of(link, status)) >> 4;
        read = true;
        if ((active >> i & 1) != 0) continue;
        queue.front()->over = true;
        queue.pop_front();
        if (!queue.empty()) hand_over(*queue.front());
      }
    }
  }

  Place place_;
  DriverOptions options_;
  /// Started messages by link and queue; the first of each is the link's.
  std::array<std::array<std::deque<Message*>, 4>, links> waiting_;
};

}  // namespace ht::grid
