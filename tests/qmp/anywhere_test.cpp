// SPDX-License-Identifier: Apache-2.0
// Messages between any two nodes, on the functional network.
#include <catch2/catch.hpp>

#include "sw/qmp/functional_machine.hpp"
#include "tests/qmp/programs.hpp"

TEST_CASE("any node reaches any other on the functional network") {
  for (const std::vector<int>& shape : {std::vector<int>{1}, {2}, {3}, {2, 2}, {4, 2}}) {
    ht::qmp::FunctionalMachine machine(shape);
    for (const auto& conformance : ht::qmp::tests::anywhere_programs()) {
      INFO(conformance.name);
      CHECK_NOTHROW(machine.run([&](ht::qmp::Transport&) {
        conformance.program();
        return 0;
      }));
    }
  }
}
