// SPDX-License-Identifier: Apache-2.0
// Messages between any two QPACE nodes, passed on by those in between; and what neighbours lose by
// it.
#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "sim/qpace/machine.hpp"
#include "sw/qmp/node.hpp"
#include "tests/qmp/programs.hpp"

using namespace ht;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;

namespace {

QpaceMachineOptions torus(std::vector<int> shape, bool forwards) {
  QpaceMachineOptions options;
  options.shape = std::move(shape);
  options.random_phases = true;
  options.driver.forwards = forwards;
  options.driver.forward_queue = qmp::Forwarder::least_queue;
  return options;
}

void run(QpaceMachine& m, void (*program)()) {
  m.run([&](auto& driver) {
    const qmp::Node node(driver);
    program();
  });
}

}  // namespace

TEST_CASE(
    "any QPACE node reaches any other, all at once, with the shortest queues, on bad cables") {
  for (const std::vector<int>& shape : {std::vector<int>{4, 2}, {3, 1}, {2, 2, 2}}) {
    QpaceMachineOptions options = torus(shape, true);
    options.errors.bit_error_rate = 1e-5;
    QpaceMachine m(options);
    for (const auto& conformance : qmp::tests::anywhere_programs()) {
      INFO(conformance.name << " on " << shape.size() << " axes, the first of " << shape[0]);
      CHECK_NOTHROW(run(m, conformance.program));
    }
    for (const auto& link : m.read_links()) CHECK(link.checksums_agree());
    CHECK(m.close_ledgers().undetected == 0);
  }
}

TEST_CASE("neighbours on QPACE lose no time by a driver that passes packets on") {
  std::vector<std::vector<Picoseconds>> ends;
  for (const bool forwards : {false, true}) {
    QpaceMachine m(torus({3, 2}, forwards));
    std::vector<Picoseconds> times(6);
    m.run([&](auto& driver) {
      {
        const qmp::Node node(driver);
        for (const auto& conformance : qmp::tests::conformance_programs()) {
          if (std::string(conformance.name) == "halo") conformance.program();
        }
      }
      times[static_cast<std::size_t>(driver.rank())] = driver.runtime().now();
    });
    times.push_back(m.kernel().now());
    ends.push_back(times);
  }
  CHECK(std::ranges::min(ends[0]) > 0);
  CHECK(ends[0] == ends[1]);
}
