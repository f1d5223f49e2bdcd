// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

#include "sw/host/time.hpp"

namespace ht::sim {

/// Later than anything.
constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// A clock: its n-th edge (n >= 0) is at phase + n * period. Both in ps; 0 <= phase < period.
struct Clock {
  Picoseconds period = 4000;
  Picoseconds phase = 0;

  constexpr Picoseconds edge(std::int64_t n) const { return phase + n * period; }

  /// Number of the first edge at or after `t` (never negative).
  constexpr std::int64_t first_edge(Picoseconds t) const {
    return t <= phase ? 0 : (t - phase + period - 1) / period;
  }

  /// Throws UsageError unless period > 0 and 0 <= phase < period.
  void check() const;

  bool operator==(const Clock&) const = default;
};

}  // namespace ht::sim
