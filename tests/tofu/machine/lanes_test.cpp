// SPDX-License-Identifier: Apache-2.0
// QMP's promises over Tofu nodes whose cables carry bits: a bundle of lanes between each link and
// its cable, clocks, skew, jitter and drift drawn, and errors.
#include <catch2/catch.hpp>

#include "sim/tofu/machine.hpp"
#include "sw/qmp/node.hpp"
#include "tests/qmp/programs.hpp"
#include "tests/support/drawn_phy.hpp"

using ht::machine::TofuMachine;
using ht::machine::TofuMachineOptions;

namespace {

void check(std::uint64_t trial, const ht::tofu::Shape& shape, unsigned lanes) {
  constexpr ht::Picoseconds word = 3200;
  auto options = ht::test::drawn_over_lanes<TofuMachineOptions>(trial, {16, lanes}, word);
  options.shape = shape;
  CAPTURE(options.cable_delay, options.phy->lanes.skew, options.phy->lanes.jitter, lanes);
  TofuMachine machine(options);
  for (const auto& promise : ht::qmp::tests::conformance_programs()) {
    INFO(promise.name);
    CHECK_NOTHROW(machine.run([&](ht::tofu::Transport& driver) {
      ht::qmp::Node node(driver);
      promise.program();
    }));
  }
  for (const auto& link : machine.read_links()) CHECK(link.checksums_agree());
  const auto errors = machine.close_ledgers();
  CHECK(errors.balanced());
  CHECK(errors.injected > 0);
  CHECK(errors.undetected == 0);
}

}  // namespace

TEST_CASE("QMP's promises on a Tofu ring of three over eight lanes") {
  check(1, ht::tofu::Shape{{3, 1, 1, 1, 1, 1}}, 8);
}
TEST_CASE("QMP's promises on two Tofu nodes over one lane, over four") {
  check(2, ht::tofu::Shape{{2, 1, 1, 1, 1, 1}}, 1);
  check(3, ht::tofu::Shape{{1, 1, 1, 2, 1, 1}}, 4);
}
