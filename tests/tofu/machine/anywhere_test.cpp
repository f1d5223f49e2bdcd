// SPDX-License-Identifier: Apache-2.0
// Messages between any two Tofu nodes and groups of nodes: the hardware routes.
#include <catch2/catch.hpp>

#include "sim/tofu/machine.hpp"
#include "tests/qmp/anywhere_machine.hpp"

using ht::machine::TofuMachine;
using ht::machine::TofuMachineOptions;

TEST_CASE("any Tofu node reaches any other, all at once, on bad cables") {
  TofuMachineOptions options;
  options.shape = ht::tofu::Shape{{2, 1, 2, 1, 3, 1}};
  options.random_phases = true;
  options.errors.bit_error_rate = 1e-6;
  ht::qmp::tests::check_anywhere<TofuMachine>(options);
}
