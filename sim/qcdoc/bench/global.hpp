// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sim/bench/measurement.hpp"

namespace ht::bench {

/// us.
struct GlobalTimes {
  double sum = 0;  ///< of one double a node: mean of many, one after the other
  double broadcast =
      0;  ///< of one word, from node 0's call until the last node has it, all waiting
};
/// QMP's operations on a torus of that shape, over the driver with its costs, or as if its software
/// took no time and nodes need not agree first.
GlobalTimes qcdoc_global_times(const std::vector<int>& shape, Software software, int rounds);

/// What a global operation costs more on a larger torus, from measurements on small ones: for
/// every axis longer than 1, and for every hop, of which a ring of N takes N/2 in the doubled mode.
struct GlobalCost {
  double axis = 0, hop = 0;  ///< us

  /// From a ring of four, one of eight, and a torus 4x4.
  static GlobalCost fit(double four, double eight, double four_by_four);
  /// Expected on a torus of `shape`, if `measured_us` was measured on one of `measured`.
  double us(const std::vector<int>& shape, const std::vector<int>& measured,
            double measured_us) const;
};

}  // namespace ht::bench
