// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sw/dirac/operator/lattice.hpp"

namespace ht::dirac {

/// Speed of an operator on this computer: one core, one node, no machine behind it.
struct OperatorSpeed {
  std::string id;       ///< "dirac.hop_double_gflops", "dirac.asqtad_single_gflops", ..."_baseline"
  double gflops = 0;    ///< best of several repetitions, by the usual count
  std::string kernels;  ///< instruction set, as to_string(Isa) has it
  /// What moves between memory and cache for a flop where fields are too large for the cache: every
  /// vector read once and written once (which reads it, too), links read as often as they are used.
  double bytes_per_flop = 0;
};

/// GB/s of this computer's memory on one core: a = b + c x on arrays of 64 MB, best of several;
/// what it writes counts twice, since it is read first.
double memory_bandwidth(double seconds);

/// Measures operators on a hot field, on the sites of one parity. Wilson's D in double and single
/// with the best instruction set, then with the baseline's; then, in double and single, the
/// even-odd matrices of clover and domain wall (fifth dimension of 8), and the staggered and the
/// Asqtad hop. About `seconds` of time on this computer each. `progress` is called now and then
/// with the seconds that have passed. Throws UsageError for a lattice with odd extents.
std::vector<OperatorSpeed> bench_dirac(const Coordinates& lattice = {8, 8, 8, 8},
                                       double seconds = 0.5,
                                       const std::function<void(double seconds)>& progress = {});

/// How many measurements bench_dirac() makes.
constexpr int kOperatorSpeeds = 12;

}  // namespace ht::dirac
