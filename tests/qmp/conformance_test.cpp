// SPDX-License-Identifier: Apache-2.0
// The API's promises, over the functional network, on tori of every kind.
#include <catch2/catch.hpp>

#include "sw/qmp/functional_machine.hpp"
#include "tests/qmp/c_programs.h"
#include "tests/qmp/programs.hpp"

using ht::qmp::FunctionalMachine;
using ht::qmp::FunctionalOptions;
using ht::qmp::Transport;

namespace {

const std::vector<std::vector<int>> shapes{
    {1},    {2},       {3},       {4},    {7},       {2, 2},       {3, 2},
    {1, 4}, {2, 1, 3}, {2, 2, 2}, {5, 3}, {4, 2, 2}, {2, 2, 2, 2}, {3, 1, 2, 1, 2, 1},
};

std::string name_of(const std::vector<int>& shape) {
  std::string name;
  for (const int n : shape) name += (name.empty() ? "" : "x") + std::to_string(n);
  return name;
}

}  // namespace

TEST_CASE("Every promise of the API is kept on every shape") {
  for (const auto& shape : shapes) {
    for (const bool routed : {true, false}) {
      FunctionalOptions options;
      options.routed = routed;
      FunctionalMachine machine(shape, options);
      for (const auto& conformance : ht::qmp::tests::conformance_programs()) {
        INFO(conformance.name << " on " << name_of(shape) << (routed ? ", routed" : ""));
        const auto program = [&](Transport&) {
          conformance.program();
          return 0;
        };
        CHECK_NOTHROW(machine.run(program));
      }
    }
  }
}

TEST_CASE("Plain C programs run unchanged") {
  FunctionalMachine ring({4});
  CHECK(ring.run_main(ping_pong_main) == std::vector<int>(4, 0));
  CHECK(ring.run_main(halo_exchange_main) == std::vector<int>(4, 0));
  FunctionalMachine torus({2, 2, 2});
  CHECK(torus.run_main(ping_pong_main) == std::vector<int>(8, 0));
  CHECK(torus.run_main(halo_exchange_main) == std::vector<int>(8, 0));
  const std::string arguments[] = {"halo", "6", "4", "2", "4"};
  CHECK(torus.run_main(halo_exchange_main, arguments) == std::vector<int>(8, 0));
  const std::string odd[] = {"halo", "6", "5", "2", "3"};
  CHECK(torus.run_main(halo_exchange_main, odd) == std::vector<int>(8, 3));
  FunctionalMachine single({1});
  CHECK(single.run_main(halo_exchange_main) == std::vector<int>{0});
}
