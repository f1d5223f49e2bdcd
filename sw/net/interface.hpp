// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>

#include "sw/host/time.hpp"
#include "sw/net/packet.hpp"

namespace ht::net {

/// An Ethernet interface as the protocols see it.
class Interface {
 public:
  virtual ~Interface() = default;
  virtual Picoseconds now() const = 0;
  /// Sends a frame (destination address to payload; padding and check sequence are added).
  virtual void send(std::span<const std::uint8_t> frame) = 0;
  /// The next frame that was received, without check sequence, or nothing by `deadline`.
  virtual std::optional<Bytes> receive(Picoseconds deadline) = 0;
};

}  // namespace ht::net
