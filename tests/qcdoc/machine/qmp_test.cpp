// SPDX-License-Identifier: Apache-2.0
// QMP's promises again, now over QCDOC nodes with bad cables, folded.
#include <catch2/catch.hpp>
#include <mutex>
#include <set>
#include <string>

#include "sim/qcdoc/machine.hpp"
#include "sw/qcdoc/global_sum.hpp"
#include "sw/qmp/node.hpp"
#include "tests/qmp/c_programs.h"
#include "tests/qmp/programs.hpp"

using namespace ht;
using machine::QcdocMachine;
using machine::QcdocMachineOptions;

namespace {

QcdocMachineOptions torus(std::vector<int> machine, std::vector<int> application) {
  QcdocMachineOptions options;
  options.shape = std::move(machine);
  options.application = std::move(application);
  options.errors.bit_error_rate = 1e-5;
  options.random_phases = true;
  return options;
}

}  // namespace

TEST_CASE("QMP's promises on QCDOC nodes 2x2x2 that present themselves as 4x2") {
  // Words go one bit a cycle: these move many, and tests/qcdoc runs them.
  const std::set<std::string> slow = {"broadcast", "lengths and alignments", "array sums",
                                      "barrier"};
  QcdocMachine m(torus({2, 2, 2}, {4, 2}));
  for (const auto& conformance : qmp::tests::conformance_programs()) {
    if (slow.contains(conformance.name)) continue;
    INFO(conformance.name);
    CHECK_NOTHROW(m.run([&](qcdoc::Driver& driver) {
      const qmp::Node node(driver);
      conformance.program();
    }));
  }
  for (const auto& link : m.read_links()) CHECK(link.checksums_agree());
  CHECK(m.close_ledgers().undetected == 0);
}

TEST_CASE("QCDOC nodes find out where they are before a program runs") {
  QcdocMachineOptions options = torus({3, 2, 2}, {3, 4});
  options.boot = true;
  QcdocMachine m(options);
  std::mutex mutex;
  double sums = 0;
  m.run([&](qcdoc::Driver& driver) {
    qcdoc::GlobalSum sum(driver);
    const double all = sum(driver.place().node);
    const std::lock_guard lock(mutex);
    sums += all;
  });
  CHECK(sums == 12 * 66);
}

TEST_CASE("plain C programs run unchanged on QCDOC") {
  QcdocMachine m(torus({2, 2, 2}, {}));
  std::mutex mutex;
  std::vector<int> codes;
  m.run([&](qcdoc::Driver& driver) {
    const qmp::Node node(driver);
    const std::string name[] = {"program"};
    const int code = qmp::call_main(halo_exchange_main, name);
    const std::lock_guard lock(mutex);
    codes.push_back(code);
  });
  CHECK(codes == std::vector<int>(8, 0));
}
