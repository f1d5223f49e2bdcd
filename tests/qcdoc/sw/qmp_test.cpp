// SPDX-License-Identifier: Apache-2.0
// QMP's promises again, over Verilated QCDOC units.
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "sw/qmp/node.hpp"
#include "tests/qcdoc/sw/driver_support.hpp"
#include "tests/qmp/programs.hpp"

using namespace ht;
using namespace ht::test;

namespace {

// Words go one bit a cycle: these move many.
const std::set<std::string> slow = {"broadcast", "lengths and alignments", "array sums", "barrier"};

void conformance(const std::vector<int>& machine, const std::vector<int>& application) {
  DriverTorus t(machine, application);
  for (const auto& program : qmp::tests::conformance_programs()) {
    if (slow.contains(program.name)) continue;
    INFO(program.name);
    CHECK_NOTHROW(t.run([&](qcdoc::Driver& driver) {
      const qmp::Node node(driver);
      program.program();
    }));
  }
}

}  // namespace

TEST_CASE("QMP's promises on two QCDOC nodes") {
  conformance({2}, {});
}
TEST_CASE("QMP's promises on QCDOC nodes 2x2, a ring of four") {
  conformance({2, 2}, {4});
}
TEST_CASE("QMP's promises on QCDOC nodes 3x2") {
  conformance({3, 2}, {});
}
