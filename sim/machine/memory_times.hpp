// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>

#include "sim/kernel/clock.hpp"
#include "sim/machine/machine_draw.hpp"
#include "sw/host/errors.hpp"

namespace ht::machine {

/// When a memory has done what it was asked for (has the data of a read, has stored those of a
/// write): `latency` after the request was taken, and by chance up to `spread` later (ps), but in
/// the order of the requests, one at an edge. Depends on nothing but the requests and their order,
/// so that skipped cycles do not matter.
class MemoryTimes {
 public:
  /// `port`: different for every port of every node. Throws UsageError for a negative latency.
  MemoryTimes(Picoseconds latency, Picoseconds spread, Picoseconds period, std::uint64_t port)
      : latency_(cycles(latency, period)),
        spread_(cycles(spread, period)),
        draw_(port, Purpose::MemoryTimes) {
    if (latency < 0) throw UsageError("memory latency: must not be negative");
  }

  /// The edge at which the memory is done with what it takes at `edge`, `later` edges of which it
  /// works for somebody else.
  std::int64_t due(std::int64_t edge, std::int64_t later = 0) {
    std::int64_t at = edge + latency_ + later;
    if (spread_ > 0) at += draw_.below(spread_ + 1);
    last_ = std::max(at, last_ + 1);
    return last_;
  }

 private:
  static std::int64_t cycles(Picoseconds time, Picoseconds period) {
    return (time + period - 1) / period;
  }
  std::int64_t latency_, spread_, last_ = -1;
  MachineDraw draw_;
};

}  // namespace ht::machine
