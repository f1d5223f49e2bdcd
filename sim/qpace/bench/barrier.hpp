// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sw/host/time.hpp"

namespace ht::bench {

/// A barrier as QMP does it, one after the other on all nodes of a torus.
struct BarrierOptions {
  std::vector<int> shape{2, 2, 2};
  bool tree = true;           ///< over the global signal tree; else messages round the torus
  Picoseconds host_path = 0;  ///< from a processor to the network and back, together
  int rounds = 20;            ///< barriers measured, after a first one
};

/// Mean time of a barrier, ps.
double barrier_time(const BarrierOptions& options);

}  // namespace ht::bench
