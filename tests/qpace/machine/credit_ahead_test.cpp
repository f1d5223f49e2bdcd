// SPDX-License-Identifier: Apache-2.0
// A job finds room for its packets: next to nothing is sent again because a receiver had none. No
// cable is bad here, so nothing else is sent again either.
#include <catch2/catch.hpp>

#include "sim/machine/solve.hpp"
#include "sim/qpace/machine.hpp"
#include "sw/qmp/node.hpp"
#include "sw/qpace/powerxcell.hpp"

using namespace ht;
using machine::QpaceMachine;
using machine::QpaceMachineOptions;

namespace {

struct Job {
  std::vector<int> nodes;
  dirac::Coordinates lattice;
  int iterations = 2;
};

dirac::JobSpec spec_of(const Job& job, dirac::SolverKind solver) {
  dirac::JobSpec spec;
  spec.lattice = job.lattice;
  spec.node_grid = job.nodes;
  spec.solver = solver;
  spec.max_iterations = job.iterations;
  return spec;
}

void check_nothing_sent_twice(const Job& job, QpaceMachineOptions options,
                              dirac::SolverKind solver = dirac::SolverKind::EvenOdd) {
  options.shape = job.nodes;
  const dirac::JobSpec spec = spec_of(job, solver);
  dirac::JobSink sink(spec);
  host::LocalLattice local{};
  for (std::size_t a = 0; a < 4; ++a)
    local[a] = job.lattice[a] / (a < job.nodes.size() ? job.nodes[a] : 1);
  const qpace::PowerXCell8i processor(local);
  QpaceMachine machine(options);
  machine.run([&](qpace::Driver& driver) {
    qmp::Node node(driver);
    machine::WorkCharge meter(processor, driver.runtime());
    machine::run_job(spec, sink, meter);
  });
  std::uint64_t packets = 0, replayed = 0, retransmitted = 0;
  for (const auto& link : machine.read_links()) {
    packets += link.sent;
    replayed += link.replayed;
    retransmitted += link.retransmitted;
    CHECK(link.checksums_agree());
  }
  INFO(replayed << " of " << packets << " packets were sent again for lack of room");
  CHECK(packets > 500);
  CHECK(retransmitted == 0);
  CHECK(replayed * 1000 < packets);
}

}  // namespace

TEST_CASE("packets find room, whatever the volume, the cables and the clocks", "[nightly]") {
  const Job job = GENERATE(Job{{2}, {8, 4, 4, 8}}, Job{{2, 2, 2}, {8, 8, 8, 8}},
                           Job{{2, 2}, {8, 8, 4, 16}}, Job{{2, 2, 2}, {4, 4, 4, 8}},
                           Job{{3}, {12, 4, 4, 6}}, Job{{1, 1, 4}, {4, 4, 16, 8}});
  QpaceMachineOptions options;
  options.cable_delay = GENERATE(12'000, 250'000, 1'000'000);
  options.random_phases = true;
  options.seed = static_cast<std::uint64_t>(options.cable_delay + job.lattice[2]);
  INFO(job.nodes.size() << " axes, " << job.lattice[0] << "x" << job.lattice[1] << "x"
                        << job.lattice[2] << "x" << job.lattice[3] << ", cables of "
                        << options.cable_delay << " ps");
  check_nothing_sent_twice(job, options);
}

TEST_CASE("packets find room with the slow core clock, long faces and cables of many lengths") {
  QpaceMachineOptions options;
  options.node.core_clock.period = GENERATE(4800, 6024);
  options.cable_spread = 700'000;
  options.random_phases = true;
  check_nothing_sent_twice({{2, 2, 2}, {8, 8, 8, 16}, 1}, options);
}

TEST_CASE("the full solver's packets find room, too") {
  QpaceMachineOptions options;
  options.cable_delay = 12'000;
  options.cable_spread = 500'000;
  options.random_phases = true;
  options.seed = GENERATE(1U, 2U, 3U);
  check_nothing_sent_twice({{2, 2, 2}, {8, 8, 8, 8}}, options, dirac::SolverKind::Full);
}
