// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/bench/solve_report.hpp"

#include <vector>

#include "sim/machine/solve.hpp"
#include "sim/qcdoc/bench/scu_torus.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"

namespace ht::cli {

double simulated_iteration_us(const host::LocalLattice& local, const qcdoc::Ppc440Options& options,
                              int iterations, const bench::Progress& progress) {
  constexpr Picoseconds step = 10'000'000, longest = 1'000'000'000'000;  // a second
  bench::ScuTorusOptions torus;
  torus.shape = {2, 2, 2, 2};
  machine::QcdocMachineOptions machine_options = bench::qcdoc_machine(torus);
  machine_options.node.memory_bytes = std::size_t{64} << 20;
  machine::QcdocMachine machine(machine_options);

  const qcdoc::Ppc440 processor(local, options);
  std::vector<Picoseconds> times;  // at which iterations ended, on node 0
  dirac::JobSpec spec;
  for (std::size_t mu = 0; mu < local.size(); ++mu) spec.lattice[mu] = 2 * local[mu];
  spec.node_grid = torus.shape;
  spec.tolerance = 1e-30;  // it is thrown away before
  spec.progress = [&](const dirac::Progress&) { times.push_back(machine.node(0).now()); };
  dirac::JobSink sink(spec);
  const machine::QcdocMachine::DriverProgram program = [&](qcdoc::Driver& driver) {
    qmp::Node node(driver);
    machine::WorkCharge charge(processor, driver.runtime());
    machine::run_job(spec, sink, charge);
  };
  machine.kernel().on_window(progress);
  machine.start(program);
  const std::size_t wanted = static_cast<std::size_t>(iterations) + 1;
  while (times.size() < wanted) {
    if (machine.kernel().run(machine.kernel().now() + step) != sim::RunEnd::TimeLimit ||
        machine.kernel().now() > longest)
      throw ProtocolError("a measurement's solver ended before its time");
  }
  machine.abandon();
  return static_cast<double>(times[wanted - 1] - times[0]) * 1e-6 / iterations;
}

}  // namespace ht::cli
