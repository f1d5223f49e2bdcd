// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "verif/model/tofu/tni_interface.hpp"

namespace ht::model {

/// The network interfaces of a node over its memory, as a reference: what they do, not when.
/// What they send leaves when the user takes it from `sent`. [Tofu2012], [Tofu2012ja] section 4.1;
/// rtl/tofu/README.md, "Network interfaces".
class TofuTni {
 public:
  static constexpr unsigned kInterfaces = 4, kMostInterfaces = 6;
  /// Of a node's registers: interface i begins at kBase + i * kStride.
  static constexpr unsigned kBase = 0x2000, kStride = 0x100;

  TofuTni(std::uint32_t coordinates, const TniReach& memory, unsigned interfaces = kInterfaces);

  /// Register accesses by the node's map (rtl/tofu/README.md, "Registers"). Throw std::out_of_range
  /// for addresses of other parts.
  TniInterface::Answer read(unsigned address);
  TniInterface::Answer write(unsigned address, std::uint32_t value);

  /// A packet arrives.
  void receive(const TniPacket& packet);

  /// Packets to be sent, oldest first; the user takes them.
  std::deque<TniPacket> sent;
  /// Entries written into rings since the beginning.
  std::uint64_t entries() const;
  TniInterface& interface(unsigned number) { return interfaces_.at(number); }
  unsigned size() const { return static_cast<unsigned>(interfaces_.size()); }

 private:
  void collect(TniInterface& from);
  std::vector<TniInterface> interfaces_;
};

}  // namespace ht::model
