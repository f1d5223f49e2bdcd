// SPDX-License-Identifier: Apache-2.0
// Messages between any two QCDOC nodes, passed on by those in between; and what neighbours lose by
// it.
#include <catch2/catch.hpp>
#include <vector>

#include "sim/qcdoc/machine.hpp"
#include "tests/qmp/anywhere_machine.hpp"

using ht::machine::QcdocMachine;
using ht::machine::QcdocMachineOptions;
using ht::qmp::Forwarder;

namespace {

QcdocMachineOptions torus(std::vector<int> shape) {
  QcdocMachineOptions options;
  options.shape = std::move(shape);
  options.random_phases = true;
  options.driver.forwards = true;
  options.driver.forward_queue = Forwarder::least_queue;
  return options;
}

}  // namespace

TEST_CASE(
    "any QCDOC node reaches any other, all at once, with the shortest queues, on bad cables") {
  for (const std::vector<int>& shape : {std::vector<int>{4, 2}, {3}}) {
    QcdocMachineOptions options = torus(shape);
    options.errors.bit_error_rate = 1e-5;
    INFO(shape.size() << " axes, the first of " << shape[0]);
    ht::qmp::tests::check_anywhere<QcdocMachine>(options);
  }
}

TEST_CASE("neighbours on QCDOC lose no time by a driver that passes packets on") {
  ht::qmp::tests::check_neighbours_lose_no_time<QcdocMachine>(torus({3, 2}), 6);
}
