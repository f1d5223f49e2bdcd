// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/tofu/bench/load.hpp"

namespace ht::bench {

/// What Tofu routers get through.
struct TofuThroughput {
  double accepted = 0;  ///< beats a node and cycle that arrived
  double worst = 0;     ///< of the node that got out least
  double latency = 0;   ///< mean, cycles, from the queue to the last beat
};

/// Routers of a torus joined by ideal links of 20 cycles, under a load for `cycles`, after half as
/// many to settle. `in_turn`: outputs take plainly in turn what inputs offer; else what is under
/// way goes before what enters (rtl/tofu/README.md, "Schedule").
TofuThroughput tofu_throughput(const model::tofu::Shape& shape, const TofuLoad& load, bool in_turn,
                               unsigned cycles);

}  // namespace ht::bench
