// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sim/bench/measurement.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/machine/machine.hpp"
#include "sim/machine/solve.hpp"
#include "sw/dirac/job.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/wilson_kernels.hpp"
#include "sw/qmp/node.hpp"

namespace ht::bench {

/// Microseconds of simulated time an iteration of the even-odd Wilson conjugate gradient takes on a
/// machine of so many nodes along each axis, with `local` sites on each and `processor` charging
/// for computing: the mean of `iterations` after the start. The machine is of no use afterwards.
template <class Machine>
double simulated_iteration_us(Machine& machine, const std::vector<int>& node_grid,
                              const host::LocalLattice& local,
                              const host::ProcessorModel& processor, int iterations,
                              const Progress& progress) {
  constexpr Picoseconds step = 10'000'000, longest = 1'000'000'000'000;  // a second
  std::vector<Picoseconds> times;  // at which iterations ended, on node 0
  dirac::JobSpec spec;
  spec.lattice = local;
  for (std::size_t mu = 0; mu < node_grid.size(); ++mu) spec.lattice[mu] *= node_grid[mu];
  spec.node_grid = node_grid;
  spec.tolerance = 1e-30;  // it is thrown away before
  spec.progress = [&](const dirac::Progress&) { times.push_back(machine.node(0).now()); };
  dirac::JobSink sink(spec);
  machine.kernel().on_window(progress);
  const machine::StartedPrograms started(machine);
  machine.start([&](auto& driver) {
    qmp::Node node(driver);
    machine::WorkCharge charge(processor, driver.runtime());
    machine::run_job(spec, sink, charge);
  });
  const std::size_t wanted = static_cast<std::size_t>(iterations) + 1;
  while (times.size() < wanted) {
    if (machine.kernel().run(machine.kernel().now() + step) != sim::RunEnd::TimeLimit ||
        machine.kernel().now() > longest)
      throw ProtocolError("a measurement's solver ended before its time");
  }
  return static_cast<double>(times[wanted - 1] - times[0]) * 1e-6 / iterations;
}

}  // namespace ht::bench
