// SPDX-License-Identifier: Apache-2.0
// Hybrid Monte Carlo's averages. LONG: 1 for as many trajectories as take minutes, 0 for seconds.
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>

#include "sw/dirac/evolve/evolution.hpp"
#include "tests/dirac/on_grid.hpp"
#include "tests/dirac/plaquette_chain.hpp"

using namespace ht;
using namespace ht::test;
using dirac::ChainMean;
using dirac::EvolutionSpec;

namespace {

struct Averages {
  ChainMean plaquette, boltzmann;  ///< <exp(-delta H)>
  double acceptance = 0;
};

Averages averages(EvolutionSpec spec, int thermalise, int count) {
  spec.trajectories = thermalise + count;
  dirac::EvolutionSink sink(spec);
  on_grid({1}, [&] {
    dirac::FreeWork free;
    dirac::run_evolution(spec, sink, free);
  });
  std::vector<double> plaquettes, weights;
  Averages out;
  for (const dirac::Trajectory& t : sink.result().trajectories) {
    if (t.number < thermalise) continue;
    plaquettes.push_back(t.plaquette.average());
    weights.push_back(std::exp(-t.delta_h));
    out.acceptance += t.accepted ? 1.0 / count : 0;
  }
  out.plaquette = dirac::chain_mean(plaquettes);
  out.boltzmann = dirac::chain_mean(weights);
  std::cout << "plaquette " << out.plaquette.mean << " +- " << out.plaquette.error
            << ", <exp(-delta H)> " << out.boltzmann.mean << " +- " << out.boltzmann.error
            << ", acceptance " << out.acceptance << "\n";
  return out;
}

void check_balance(const Averages& a) {
  // Creutz, Phys. Rev. D 38 (1988) 1228: 1 for any integrator and step, if areas are preserved.
  CHECK(std::fabs(a.boltzmann.mean - 1) < 4 * a.boltzmann.error);
  CHECK(a.acceptance > 0.5);
  CHECK(a.acceptance < 0.999);  // or nothing was asked of the decision
}

}  // namespace

TEST_CASE("pure gauge: <exp(-delta H)> is 1, and the plaquette the heat bath's",
          "[evolution][statistics]") {
  EvolutionSpec spec;
  spec.lattice = {4, 4, 4, 4};
  spec.beta = LONG ? 5.2 : 2.5;
  spec.seed = 11;
  spec.steps = LONG ? 5 : 4;
  const Averages got = averages(spec, LONG ? 100 : 20, LONG ? 2000 : 120);
  check_balance(got);
  const ChainMean heatbath = test::measure_chain(
      spec.lattice, dirac::FieldKind::Hot, {.beta = spec.beta, .overrelaxations = 3, .seed = 3}, 50,
      LONG ? 4000 : 400);
  std::cout << "heat bath " << heatbath.mean << " +- " << heatbath.error << "\n";
  CHECK(std::fabs(got.plaquette.mean - heatbath.mean) <
        4 * std::hypot(got.plaquette.error, heatbath.error));
}

#if LONG
TEST_CASE("two flavours: the plaquette that tmLQCD publishes", "[evolution][statistics]") {
  // etmc/tmLQCD, sample-input/sample-smd0.input: beta 6, kappa 0.177, 2 kappa mu 0.177, 4x4x4x4,
  // antiperiodic in time: plaquette 0.62450(5).
  EvolutionSpec spec;
  spec.lattice = {4, 4, 4, 4};
  spec.beta = 6;
  spec.flavours = 2;
  spec.kappa = 0.177;
  spec.mu = 0.5;
  spec.seed = 12;
  spec.steps = 6;
  spec.tolerance = 1e-9;
  const Averages got = averages(spec, 100, 1000);
  check_balance(got);
  CHECK(got.plaquette.error < 1e-3);  // without the twisted mass it is 0.6284
  CHECK(std::fabs(got.plaquette.mean - 0.62450) < 3 * std::hypot(got.plaquette.error, 5e-5));
}
#endif
