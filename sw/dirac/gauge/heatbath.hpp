// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sw/dirac/gauge/gauge.hpp"
#include "sw/dirac/gauge/uniform_stream.hpp"

namespace ht::dirac {

/// Wilson's plaquette action: weight exp(beta sum over plaquettes of Re tr P / 3).
struct HeatbathOptions {
  double beta = 6.0;
  int overrelaxations = 3;  ///< sweeps after each heat-bath sweep
  std::uint64_t seed = 1;
  int threads = 1;  ///< changes no bit of the result
};

/// Cabibbo and Marinari's SU(3) heat bath over three SU(2) subgroups (Phys. Lett. B 119 (1982) 387)
/// with microcanonical over-relaxation of the same subgroups. A link's update is a function of
/// (seed, sweep, site, axis) and its neighbours, in + - * / and sqrt: the same bits on every
/// computer and for any number of threads.
class Heatbath {
 public:
  /// Keeps a reference to `gauge`. Throws UsageError for an odd extent, a beta that is negative or
  /// no number, negative over-relaxations or fewer than 1 thread.
  Heatbath(GlobalGauge& gauge, const HeatbathOptions& options);

  /// One heat-bath sweep over all links, then the over-relaxations; makes links unitary anew.
  void sweep();
  std::uint32_t sweeps() const { return sweeps_; }

 private:
  template <class Update>
  void for_each_link(Update&& update);
  Link staples(std::size_t site, std::size_t mu) const;

  GlobalGauge& gauge_;
  HeatbathOptions options_;
  std::uint32_t sweeps_ = 0;
  std::vector<std::array<std::uint32_t, 8>> neighbour_;  ///< by direction_of()
  std::array<std::vector<std::uint32_t>, 2> sites_;      ///< by parity
};

/// A number a in (-1, 1) with density proportional to sqrt(1 - a^2) exp(alpha a), alpha >= 0:
/// Kennedy and Pendleton's method (Phys. Lett. B 156 (1985) 393) for alpha of 2 and more, plain
/// rejection below, where theirs would rarely accept. Both are exact.
double draw_su2_trace(double alpha, UniformStream& random);

}  // namespace ht::dirac
