// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sw/dirac/operator/lattice.hpp"

namespace ht::dirac {

/// Speed of the hopping term on this computer: one core, one node, no machine behind it.
struct HoppingSpeed {
  std::string id;       ///< "dirac.hop_double_gflops", "dirac.hop_single_gflops", ..."_baseline"
  double gflops = 0;    ///< best of several repetitions, by the 1320 count
  std::string kernels;  ///< instruction set: "avx2" or "baseline"
};

/// Measures D on a hot field, even and odd sites in turn: double and single with the best
/// instruction set, then with the baseline's. About `seconds` of time on this computer each.
/// `progress` is told now and then how many seconds of all of it have passed. Throws UsageError for
/// a lattice with odd extents.
std::vector<HoppingSpeed> bench_dirac(const Coordinates& lattice = {8, 8, 8, 8},
                                      double seconds = 0.5,
                                      const std::function<void(double seconds)>& progress = {});

/// How many measurements bench_dirac() makes.
constexpr int kHoppingSpeeds = 4;

}  // namespace ht::dirac
