// SPDX-License-Identifier: Apache-2.0
// QMP's promises again, now over Verilated QPACE nodes with bad cables.
#include <catch2/catch.hpp>
#include <mutex>

#include "sim/qpace/machine.hpp"
#include "sw/qmp/node.hpp"
#include "tests/qmp/c_programs.h"
#include "tests/qmp/programs.hpp"

using ht::machine::QpaceMachine;
using ht::machine::QpaceMachineOptions;

namespace {

QpaceMachineOptions torus(std::vector<int> shape) {
  QpaceMachineOptions options;
  options.shape = std::move(shape);
  options.errors.bit_error_rate = 1e-5;
  options.random_phases = true;
  return options;
}

void check_shape(const std::vector<int>& shape) {
  QpaceMachine machine(torus(shape));
  for (const auto& conformance : ht::qmp::tests::conformance_programs()) {
    INFO(conformance.name);
    CHECK_NOTHROW(machine.run([&](ht::qpace::Driver& driver) {
      ht::qmp::Node node(driver);
      conformance.program();
    }));
  }
  for (const auto& link : machine.read_links()) CHECK(link.checksums_agree());
  CHECK(machine.close_ledgers().undetected == 0);
}

}  // namespace

TEST_CASE("QMP's promises on one QPACE node") {
  check_shape({1});
}
TEST_CASE("QMP's promises on a QPACE ring of three") {
  check_shape({3});
}
TEST_CASE("QMP's promises on a QPACE torus of 2x2x2") {
  check_shape({2, 2, 2});
}

TEST_CASE("plain C programs run unchanged on QPACE") {
  QpaceMachine machine(torus({2, 2, 2}));
  std::mutex mutex;
  std::vector<int> codes;
  for (const auto program : {ping_pong_main, halo_exchange_main}) {
    machine.run([&](ht::qpace::Driver& driver) {
      const ht::qmp::Node node(driver);
      const std::string name[] = {"program"};
      const int code = ht::qmp::call_main(program, name);
      const std::lock_guard lock(mutex);
      codes.push_back(code);
    });
  }
  CHECK(codes == std::vector<int>(16, 0));
}
