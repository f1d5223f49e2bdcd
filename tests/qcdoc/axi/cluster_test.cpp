// SPDX-License-Identifier: Apache-2.0
// QMP's promises on QCDOC nodes behind AXI, each with a process of its own.
#include "sim/qcdoc/axi_wires.hpp"
#include "tests/axi/cluster_run.hpp"

using namespace ht;

namespace {

machine::AxiClusterOptions torus(const std::vector<int>& shape) {
  auto options = test::torus_cluster(shape);
  options.node.clock.period = 2000;
  return options;
}

}  // namespace

TEST_CASE("QMP's promises on two QCDOC nodes behind AXI, processes of their own") {
  auto options = torus({2});
  options.bit_error_rate = 1e-6;
  test::run_cluster<machine::QcdocAxiWires>(
      options, AXI_PROGRAM, "2",
      {"halo", "order", "strided", "multiples", "integer sums", "floating sums", "extremes"});
}

TEST_CASE("QMP's promises on 2x2x2 QCDOC nodes behind AXI", "[nightly]") {
  for (std::uint64_t trial = 1; trial <= 2; ++trial) {
    auto options = torus({2, 2, 2});
    test::draw(options, trial);
    test::run_cluster<machine::QcdocAxiWires>(options, AXI_PROGRAM, "2x2x2", {"all", "anywhere"});
  }
}
