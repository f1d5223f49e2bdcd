// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>

#include "sw/host/time.hpp"

namespace ht::sim {

/// Later than anything.
constexpr Picoseconds kNever = std::numeric_limits<Picoseconds>::max();

/// A clock: its n-th edge (n >= 0) is at phase + n * period, or, where its frequency is a little
/// off, at phase + floor(n * (1000 * period + off_fs) / 1000): computed from n, so nothing
/// accumulates. `period` and `phase` in ps, 0 <= phase < period.
struct Clock {
  Picoseconds period = 4000;
  Picoseconds phase = 0;
  /// By so many femtoseconds the true period is longer than `period`, less than 1 % of it.
  std::int64_t off_fs = 0;

  /// Time of `n` cycles from the edge 0 on, ps: right for every n, of either sign, for which
  /// Picoseconds can hold it.
  constexpr Picoseconds cycles(std::int64_t n) const {
    if (off_fs == 0) return n * period;
    // n * off_fs itself may be too large for what is left of it.
    const std::int64_t rest = n % 1000 * off_fs;
    const std::int64_t down = rest % 1000 < 0 ? 1 : 0;
    return n * period + n / 1000 * off_fs + rest / 1000 - down;
  }

  constexpr Picoseconds edge(std::int64_t n) const { return phase + cycles(n); }

  /// Number of the first edge at or after `t` (never negative), for any `t` up to kNever.
  constexpr std::int64_t first_edge(Picoseconds t) const {
    if (t <= phase) return 0;
    if (off_fs == 0) return (t - phase - 1) / period + 1;
    // The smallest n with n * femtoseconds >= 1000 * (t - phase), which may be too large.
    const std::int64_t femtoseconds = 1000 * period + off_fs;
    const Picoseconds whole = (t - phase) / femtoseconds, rest = (t - phase) % femtoseconds;
    return 1000 * whole + (1000 * rest + femtoseconds - 1) / femtoseconds;
  }

  /// Longest time between two edges that follow one another, ps.
  constexpr Picoseconds longest_cycle() const {
    return period + (off_fs > 0 ? (off_fs + 999) / 1000 : off_fs / 1000);
  }

  /// This clock with a true period longer by `ppb` parts per billion of `period` (shorter, if
  /// negative), to the nearest femtosecond: of 4 ns, 250 ppb. Throws UsageError for 1 % and more.
  Clock slower_by(std::int64_t ppb) const;

  /// Throws UsageError unless period > 0, 0 <= phase < period and off_fs is less than 1 %.
  void check() const;

  bool operator==(const Clock&) const = default;
};

}  // namespace ht::sim
