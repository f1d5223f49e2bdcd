// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

// What the driver's files share.
namespace ht::qpace {

constexpr std::uint32_t unsigned_of(int i) {
  return static_cast<std::uint32_t>(i);
}

// A put's addresses carry 15 bits of remote offset, a credit 15 bits of packets: a longer message
// is cut into pieces that both ends cut alike.
constexpr std::uint64_t piece_lines = 32767;

}  // namespace ht::qpace
