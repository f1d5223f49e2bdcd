// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/ranges.h>

#include <bit>

#include "line.hpp"
#include "sim/machine/torus.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/message_driver.hpp"

namespace ht::grid {

/// Where a node stands on the torus.
struct Place {
  std::vector<int> shape, coordinates;  ///< x first
  int node = 0;                         ///< its number and rank
};

/// What a link counted: its registers 16 to 27 (README.md).
struct LinkCounters {
  std::uint32_t sent, retransmitted, busy_received, accepted, duplicates, busy_sent;
  std::uint32_t code_errors, framing_errors, crc_errors, strangers, tx_checksum, rx_checksum;
};

struct Message : qmp::DriverMessage {
  unsigned link = 0, queue = 0;  ///< queue: sending on channel 0 and 1, receiving on 0 and 1
  bool over = false;             ///< the link is done with it
};

/// The driver: QMP's messages over grid_node's registers. A link does one message a queue at a
/// time; further ones wait here.
class Driver final : public qmp::MessageDriver<Message> {
 public:
  /// `ack_timeout`: cycles without an answer after which a frame is sent again.
  Driver(host::HardwarePort& port, Place place, std::uint32_t ack_timeout)
      : MessageDriver(port, {.memory_unit = line_bytes,
                             .message_unit = line_bytes,
                             .start_cost = 50'000,
                             .poll_cost = 20'000}),
        place_(std::move(place)),
        ack_timeout_(ack_timeout) {}

  /// Switches all links on and waits for them. Throws TimeoutError.
  void bring_up() {
    constexpr Picoseconds patience = 1'000'000'000, look = 1'000'000;
    constexpr std::uint32_t session = 1, enable = 1;
    for (unsigned link = 0; link < links; ++link) {
      port_.write_register(32 * link + timeout, ack_timeout_);
      port_.write_register(32 * link + control, session << 8 | enable);
    }
    const Picoseconds end = port_.now() + patience;
    for (unsigned link = 0; link < links; ++link) {
      while ((port_.read_register(32 * link + status) & 3) != 2) {
        if (port_.now() > end)
          throw TimeoutError(fmt::format("{}: link {} did not come up", name(),
                                         machine::link_name(static_cast<int>(link))));
        port_.advance(look);
      }
    }
  }
  LinkCounters read_counters(int link) {
    std::array<std::uint32_t, sizeof(LinkCounters) / 4> values;
    for (unsigned i = 0; i < values.size(); ++i)
      values[i] = port_.read_register(32 * static_cast<unsigned>(link) + counters + i);
    return std::bit_cast<LinkCounters>(values);
  }

  const Place& place() const { return place_; }
  std::span<const int> shape() const override { return place_.shape; }
  std::span<const int> coordinates() const override { return place_.coordinates; }
  int rank() const override { return place_.node; }
  std::string description() const override {
    return fmt::format("Grid torus {}", fmt::join(place_.shape, "x"));
  }
  std::size_t granularity() const override { return line_bytes; }

 private:
  /// Of a link. A queue has two: where its message is, and how many frames it has.
  enum Register : unsigned { control = 1, status = 2, timeout = 3, queues = 4, counters = 16 };

  std::string name() const override { return fmt::format("node {}", place_.node); }

  Message address(qmp::Direction direction, qmp::Channel channel, bool send) override {
    if (direction < 0 || direction >= 2 * static_cast<int>(place_.shape.size()))
      throw UsageError(fmt::format("{}: direction {} on a {}", name(), direction, description()));
    Message m;
    m.send = send;
    m.link = static_cast<unsigned>(direction);
    m.queue = (send ? 0U : 2U) + static_cast<unsigned>(channel);
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
    const std::uint32_t first = 32 * m.link + queues + 2 * m.queue;
    port_.write_register(first, static_cast<std::uint32_t>(m.offset / line_bytes));
    port_.write_register(first + 1, static_cast<std::uint32_t>(whole_units(m.bytes) / line_bytes));
  }
  bool landed(const Message& m) override { return m.over; }

  // Takes what links are done with from the queues, and gives them the next.
  void progress() override {
    for (unsigned link = 0; link < links; ++link) {
      std::optional<std::uint32_t> active;
      for (unsigned i = 0; i < waiting_[link].size(); ++i) {
        auto& queue = waiting_[link][i];
        if (queue.empty()) continue;
        if (!active) active = port_.read_register(32 * link + status) >> 4;
        if ((*active >> i & 1) != 0) continue;
        queue.front()->over = true;
        queue.pop_front();
        if (!queue.empty()) hand_over(*queue.front());
      }
    }
  }

  Place place_;
  std::uint32_t ack_timeout_;
  /// Started messages by link and queue; the first of each is the link's.
  std::array<std::array<std::deque<Message*>, 4>, links> waiting_;
};

}  // namespace ht::grid
