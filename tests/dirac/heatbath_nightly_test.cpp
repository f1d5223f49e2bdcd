// SPDX-License-Identifier: Apache-2.0
// The plaquette at beta 6.0 against a published one, <Re tr P>/3: 0.593678(24) on 16^4, Boyd et
// al., Nucl. Phys. B 469 (1996) 419 (hep-lat/9602007), as cited by CL2QCD (AG-Philipsen/cl2qcd,
// tests/heatbath_test_input_1).
//
// Finite volume: it enters as exp(-m L), m the lightest glueball's mass, about 0.7 / a, once the
// lattice is longer than the inverse deconfinement temperature: 12 > 8 sites. m L is 8.4, so the
// effect should be below the statistical error here.
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <thread>

#include "tests/dirac/plaquette_chain.hpp"

using namespace ht;
using namespace ht::dirac;

namespace {

struct Published {
  double beta, plaquette, error;
  Coordinates lattice;
  int thermalise, sweeps;
  double most;  ///< the error this length must reach
};

void check(const Published& p) {
  HeatbathOptions options;
  options.beta = p.beta;
  options.overrelaxations = 3;
  options.seed = 20;
  options.threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const ChainMean got =
      test::measure_chain(p.lattice, FieldKind::Hot, options, p.thermalise, p.sweeps);
  std::cout << "beta " << p.beta << ": " << got.mean << " +- " << got.error << ", published "
            << p.plaquette << " +- " << p.error << ", autocorrelation " << got.autocorrelation
            << " sweeps\n";
  CHECK(got.error < p.most);
  CHECK(std::fabs(got.mean - p.plaquette) < 3 * std::hypot(got.error, p.error));
}

}  // namespace

TEST_CASE("plaquette at beta 6.0 as published") {
  std::cout.precision(7);
  check({6.0, 0.593678, 0.000024, {12, 12, 12, 12}, 150, 250, 2e-4});
}
