// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sw/tofu/gates/barrier_pattern.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::tofu {

/// What one step of a pattern costs, in cycles of 3.2 ns; those of the barrier interface as
/// measured in Verilog (test_tofu_driver). No contention: neighbouring ranks of a pattern rarely
/// share a link at the same time, and a gate's packet is short.
struct BarrierTiming {
  std::int64_t start = 2;      ///< from the register's write to the first beat out
  std::int64_t gate = 8;       ///< last beat of the packet in to first beat out
  std::int64_t local = 6;      ///< from a gate to the next one of the same node
  std::int64_t result = 9;     ///< last beat of the last packet in to the result in memory
  std::int64_t injection = 3;  ///< through the first node's router
  std::int64_t hop = 8;        ///< link to link: sender, receiver, router
  std::int64_t cable = 20;     ///< and PHY, for every hop
  std::int64_t beats = 6;      ///< of a packet with data; 3 for a barrier

  static BarrierTiming barrier() {
    BarrierTiming t;
    t.beats = 3;
    return t;
  }
};

/// The longest chain of a pattern when all ranks start at the same time.
struct BarrierLatency {
  std::int64_t cycles = 0;  ///< from the write of START until the last rank has its result
  int hops = 0;             ///< links along that chain
  int packets = 0;          ///< packets along that chain
  int gates = 0;            ///< firings along that chain, the result's included

  double nanoseconds() const { return static_cast<double>(cycles) * 3.2; }
};

/// Ranks are the nodes of the machine in Shape::place()'s order. Throws UsageError if there are
/// fewer nodes than ranks, std::logic_error if some rank would wait for ever.
BarrierLatency latency(const BarrierPattern& pattern, const Shape& machine,
                       const BarrierTiming& timing = {});

}  // namespace ht::tofu
