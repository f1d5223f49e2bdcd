// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace ht::machine {

/// Whether a node's memory takes nothing in the `piece`-th piece of time: so in `of_256` of 256, by
/// chance. Depends on nothing else, so that skipped cycles do not matter.
constexpr bool memory_stalls(int rank, std::int64_t piece, std::uint32_t of_256) {
  std::uint64_t x = static_cast<std::uint64_t>(piece) * 64 +
                    static_cast<std::uint64_t>(rank) * 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  return (x >> 56) < of_256;
}

}  // namespace ht::machine
