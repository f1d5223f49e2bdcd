// SPDX-License-Identifier: Apache-2.0
// Messages between any two QPACE nodes, passed on by those in between; and what neighbours lose by
// it.
#include <catch2/catch.hpp>
#include <vector>

#include "sim/qpace/machine.hpp"
#include "tests/qmp/anywhere_machine.hpp"

using ht::machine::QpaceMachine;
using ht::machine::QpaceMachineOptions;
using ht::qmp::Forwarder;

namespace {

QpaceMachineOptions torus(std::vector<int> shape) {
  QpaceMachineOptions options;
  options.shape = std::move(shape);
  options.random_phases = true;
  options.driver.forwards = true;
  options.driver.forward_queue = Forwarder::least_queue;
  return options;
}

}  // namespace

TEST_CASE(
    "any QPACE node reaches any other, all at once, with the shortest queues, on bad cables") {
  for (const std::vector<int>& shape : {std::vector<int>{4, 2}, {3, 1}, {2, 2, 2}}) {
    QpaceMachineOptions options = torus(shape);
    options.errors.bit_error_rate = 1e-5;
    INFO(shape.size() << " axes, the first of " << shape[0]);
    ht::qmp::tests::check_anywhere<QpaceMachine>(options);
  }
}

TEST_CASE("neighbours on QPACE lose no time by a driver that passes packets on") {
  ht::qmp::tests::check_neighbours_lose_no_time<QpaceMachine>(torus({3, 2}), 6);
}
