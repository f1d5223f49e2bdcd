// SPDX-License-Identifier: Apache-2.0
// QMP's promises on QPACE nodes behind AXI, each with a process of its own.
#include <csignal>

#include "sim/qpace/axi_wires.hpp"
#include "sw/host/errors.hpp"
#include "tests/axi/cluster_run.hpp"

using namespace ht;

namespace {

machine::AxiClusterOptions torus(const std::vector<int>& shape) {
  auto options = test::torus_cluster(shape);
  options.node.clock.period = 4800;
  options.node.link_clock.period = 4000;
  return options;
}

}  // namespace

TEST_CASE("QMP's promises on two QPACE nodes behind AXI, processes of their own") {
  auto options = torus({2});
  options.bit_error_rate = 1e-6;
  test::run_cluster<machine::QpaceAxiWires>(options, AXI_PROGRAM, "2", {"all"});
}

TEST_CASE("QMP's promises on 2x2x2 QPACE nodes behind AXI", "[nightly]") {
  for (std::uint64_t trial = 1; trial <= 3; ++trial) {
    auto options = torus({2, 2, 2});
    test::draw(options, trial);
    test::run_cluster<machine::QpaceAxiWires>(options, AXI_PROGRAM, "2x2x2", {"all", "anywhere"});
  }
}

namespace {

/// What the simulation of two nodes throws whose processes run these programs, and what both said.
struct Ends {
  std::string thrown;
  std::vector<test::Processes::End> processes;
};
Ends run_two(const std::string& first, const std::string& second) {
  const test::ScratchFolder folder;
  auto options = torus({2});
  options.folder = folder.path();
  options.node.patience = 60;
  machine::AxiCluster<machine::QpaceAxiWires> cluster(options);
  test::Processes processes(folder.path());
  processes.start({AXI_PROGRAM, cluster.window(0).string(), "0", "2", first});
  processes.start({AXI_PROGRAM, cluster.window(1).string(), "1", "2", second});
  Ends ends;
  try {
    cluster.run();
  } catch (const Error& e) {
    ends.thrown = e.what();
  }
  ends.processes = processes.wait();
  return ends;
}

}  // namespace

TEST_CASE("a node's process that is killed ends the simulation, and the others hear why") {
  const Ends ends = run_two("killed", "halo");
  CHECK_THAT(ends.thrown, Catch::Matchers::Contains("node0: the process that ran this node's "
                                                    "program ended without saying so"));
  CHECK(ends.processes[0].code == 128 + SIGKILL);
  CHECK(ends.processes[1].code == 1);
  CHECK_THAT(ends.processes[1].said, Catch::Matchers::StartsWith("node 1, halo: ") &&
                                         Catch::Matchers::Contains("the simulation ended: ") &&
                                         Catch::Matchers::Contains("node0: the process that ran"));
}

TEST_CASE("a program that ends early leaves the others in a standstill that is named") {
  const Ends ends = run_two("no such program", "halo");
  CHECK_THAT(ends.processes[0].said, Catch::Matchers::Contains("there is no program of this name"));
  CHECK_THAT(ends.thrown, Catch::Matchers::Contains("standstill") &&
                              Catch::Matchers::Contains("node 0: finished; its program has ended"));
  CHECK_THAT(ends.processes[1].said, Catch::Matchers::Contains("standstill"));
}

TEST_CASE("registers that the buses refuse are errors that name them, never a hang") {
  const Ends ends = run_two("refused registers", "refused registers");
  CHECK(ends.thrown == "");
  for (const auto& end : ends.processes) {
    CHECK(end.said == "");
    CHECK(end.code == 0);
  }
}
