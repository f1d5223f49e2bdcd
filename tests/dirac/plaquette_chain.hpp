// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sw/dirac/gauge/heatbath.hpp"
#include "sw/dirac/gauge/statistics.hpp"

namespace ht::test {

/// The mean plaquette over `count` sweeps after `thermalise` ones.
inline dirac::ChainMean measure_chain(const dirac::Coordinates& lattice, dirac::FieldKind start,
                                      const dirac::HeatbathOptions& options, int thermalise,
                                      int count) {
  dirac::GlobalGauge gauge = dirac::generate_gauge(start, options.seed, lattice);
  dirac::Heatbath heatbath(gauge, options);
  std::vector<double> plaquettes;
  for (int i = 0; i < thermalise + count; ++i) {
    heatbath.sweep();
    if (i < thermalise) continue;
    dirac::measure(gauge);
    plaquettes.push_back(gauge.plaquette.average());
  }
  return dirac::chain_mean(plaquettes);
}

}  // namespace ht::test
