// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>

#include "sw/host/hardware_port.hpp"
#include "sw/net/interface.hpp"

namespace ht::qpace {

/// Driver of the Ethernet interface: rings of eight descriptors in the node's memory, a buffer of
/// jumbo size for each. One frame is sent at a time; seven can be received while software does not
/// poll.
///
/// Throws HardwareError when the hardware says that the driver broke its rules. Frames that were
/// lost or damaged on the way are not its business: protocols ask for them again.
class Gmac final : public net::Interface {
 public:
  Gmac(host::HardwarePort& port, const net::MacAddress& address);
  ~Gmac() override;
  Gmac(const Gmac&) = delete;
  Gmac& operator=(const Gmac&) = delete;

  Picoseconds now() const override { return port_.now(); }
  void send(std::span<const std::uint8_t> frame) override;
  std::optional<net::Bytes> receive(Picoseconds deadline) override;

  /// Frames that came damaged since the node's reset: with a wrong check sequence, too short, or
  /// without a start.
  std::uint32_t damaged_frames();

  /// Switches the interface off; after this it is at rest.
  void close();

 private:
  std::byte* descriptor(bool transmit, unsigned index) const;
  void give_buffer(unsigned index);
  void check_hardware();

  host::HardwarePort& port_;
  std::byte* rings_ = nullptr;    ///< transmit, then receive
  std::byte* buffers_ = nullptr;  ///< the transmit buffer, then those of the receive ring
  unsigned tx_next_ = 0, rx_next_ = 0;
  bool open_ = true;
};

}  // namespace ht::qpace
