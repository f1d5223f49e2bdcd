// SPDX-License-Identifier: Apache-2.0
// QMP's promises once more, over QPACE nodes whose cables carry bits: a bundle of lanes between each link and its cable,
// clocks, skew, jitter and drift drawn, and errors.
#include <catch2/catch.hpp>
#include <random>

#include "sim/qpace/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"
#include "tests/qmp/programs.hpp"
#include "tests/support/test_seed.hpp"

using ht::machine::Phy;
using ht::machine::QpaceMachine;
using ht::machine::QpaceMachineOptions;

namespace {

QpaceMachineOptions drawn(std::uint64_t trial, std::vector<int> shape, unsigned lanes) {
  std::mt19937_64 random(ht::test::seed_of(trial));
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  QpaceMachineOptions options;
  options.shape = std::move(shape);
  options.seed = random();
  options.random_phases = true;
  options.random_state = true;
  options.errors.bit_error_rate = 1e-6;
  options.cable_delay = 12'000 + below(300'000);
  Phy phy;
  phy.lanes.shape = {4, lanes};
  phy.lanes.skew = below(40'000);
  phy.lanes.jitter = below(1'000);
  phy.lanes.drift = below(4'000);
  phy.most_off = 300'000;
  options.phy = phy;
  return options;
}

void check(const QpaceMachineOptions& options) {
  CAPTURE(options.cable_delay, options.phy->lanes.skew, options.phy->lanes.jitter,
          options.phy->lanes.shape.lanes);
  QpaceMachine machine(options);
  for (const auto& conformance : ht::qmp::tests::conformance_programs()) {
    INFO(conformance.name);
    CHECK_NOTHROW(machine.run([&](ht::qpace::Driver& driver) {
      ht::qmp::Node node(driver);
      conformance.program();
    }));
  }
  for (const auto& link : machine.read_links()) CHECK(link.checksums_agree());
  const auto errors = machine.close_ledgers();
  CHECK(errors.balanced());
  CHECK(errors.injected > 0);
  CHECK(errors.undetected == 0);
}

}  // namespace

TEST_CASE("QMP's promises on a QPACE ring of three over one lane, over two") {
  check(drawn(1, {3}, 1));
  check(drawn(2, {3}, 2));
}
TEST_CASE("QMP's promises on a QPACE torus of 2x2 over four lanes") {
  check(drawn(3, {2, 2}, 4));
}

TEST_CASE("QPACE: redundant interfaces have no lanes") {
  QpaceMachineOptions options = drawn(4, {4}, 4);
  options.split_axis = 0;
  CHECK_THROWS_AS(QpaceMachine(options), ht::UsageError);
}
