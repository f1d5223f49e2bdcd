// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

#include "sw/host/hardware_port.hpp"

namespace ht::bench {

/// A node's end of a measurement: registers, credits and puts of its network processor used
/// directly, as the paper's benchmarks use them ([QPACE2009] section 6), so that no message-passing
/// library's own time hides the network's. Only from the node's fibre, links up. Takes the
/// notifications over from the driver.
class Endpoint {
 public:
  explicit Endpoint(host::HardwarePort& port);
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  /// Byte offset of `bytes` fresh bytes of the node's memory, on a 128-byte line. They stay
  /// allocated as long as the machine.
  std::uint64_t allocate(std::uint64_t bytes);
  /// Destinations of this channel count from the beginning of memory.
  void open(int link, int channel);
  /// Lets `bytes` bytes in at byte offset `offset`.
  void credit(int link, int channel, std::uint64_t offset, std::uint64_t bytes);
  /// Sends; returns at once with a ticket.
  std::uint64_t put(int link, int channel, std::uint64_t source, std::uint64_t bytes);

  /// Blocks until `count` credits of the channel were filled, ever. Throws HardwareError if the
  /// network processor refused something.
  void wait_filled(int link, int channel, std::uint32_t count);
  /// Blocks until the network took that put.
  void wait_taken(int link, std::uint64_t ticket);

  host::HardwarePort& port() { return port_; }

 private:
  std::uint32_t filled(int link, int channel) const;
  void wait(std::string_view what);

  host::HardwarePort& port_;
  std::byte* notifications_;
};

}  // namespace ht::bench
