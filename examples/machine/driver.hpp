// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <deque>
#include <string>
#include <vector>

#include "line.hpp"
#include "sw/host/hardware_port.hpp"
#include "sw/qmp/message_table.hpp"
#include "sw/qmp/transport.hpp"

namespace ht::grid {

/// Where a node stands on the torus.
struct Place {
  std::vector<int> shape, coordinates;  ///< x first
  int rank = 0;
  int number() const { return rank; }
};

/// Settings of the driver; the times are what its own work takes.
struct DriverOptions {
  std::uint32_t session = 1;        ///< both ends of a link must have the same, 0 to 255
  std::uint32_t ack_timeout = 255;  ///< cycles without an answer after which a frame is repeated
  Picoseconds start_cost = 50'000, poll_cost = 20'000;
  Picoseconds link_up_timeout = 1'000'000'000;
};

/// What a link counted: its registers 16 to 27 (README.md).
struct LinkCounters {
  std::uint32_t sent, resent, refused, accepted, duplicates, turned_away;
  std::uint32_t code_errors, framing_errors, crc_errors, strangers, tx_checksum, rx_checksum;
};

/// The driver: QMP's messages over grid_node's registers. A link does one message a channel and
/// direction at a time; further ones wait in a queue here.
class Driver final : public qmp::Transport {
 public:
  Driver(host::HardwarePort& port, Place place, DriverOptions options);

  /// Switches all links on and waits for them. Throws TimeoutError.
  void bring_up();
  LinkCounters read_counters(int link);
  const Place& place() const { return place_; }

  host::Runtime& runtime() override { return port_; }
  std::span<const int> shape() const override { return place_.shape; }
  std::span<const int> coordinates() const override { return place_.coordinates; }
  int rank() const override { return place_.rank; }
  std::string description() const override;
  void* allocate(std::size_t bytes, std::size_t alignment) override;
  void release(void* pointer) override { port_.memory().release(pointer); }
  qmp::MessageId declare_send(qmp::Direction direction, qmp::Channel channel, const void* buffer,
                              std::size_t bytes) override;
  qmp::MessageId declare_receive(qmp::Direction direction, qmp::Channel channel, void* buffer,
                                 std::size_t bytes) override;
  void start(qmp::MessageId message) override;
  bool is_complete(qmp::MessageId message) override;
  void wait(qmp::MessageId message) override;
  void undeclare(qmp::MessageId message) override;
  std::size_t granularity() const override { return line_bytes; }

 private:
  struct Message {
    bool receives;
    int link, channel;
    std::byte* buffer;  ///< the caller's
    std::size_t bytes;
    std::byte* bounce = nullptr;  ///< in node memory, or null if `buffer` will do
    std::uint64_t offset = 0;     ///< of what the link sees, in node memory
    bool started = false;
    std::string waiting_for = {};  ///< for the watchdog
  };
  /// Started messages of one link: of sending channel 0 and 1, of receiving 0 and 1. The first of
  /// each is the link's.
  using Queues = std::array<std::deque<Message*>, 4>;

  qmp::MessageId declare(Message message);
  void launch(const Message& message);
  void progress();

  host::HardwarePort& port_;
  Place place_;
  DriverOptions options_;
  qmp::MessageTable<Message> messages_;
  std::array<Queues, links> queues_;
};

}  // namespace ht::grid
