// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/bench/solve_report.hpp"

#include "sim/bench/solve_iteration.hpp"
#include "sim/qcdoc/bench/scu_torus.hpp"

namespace ht::cli {

double simulated_iteration_us(const host::LocalLattice& local, const qcdoc::Ppc440Options& options,
                              int iterations, const bench::Progress& progress) {
  bench::ScuTorusOptions torus;
  torus.shape = {2, 2, 2, 2};
  machine::QcdocMachineOptions machine_options = bench::qcdoc_machine(torus);
  machine_options.node.memory_bytes = std::size_t{64} << 20;
  machine::QcdocMachine machine(machine_options);
  return bench::simulated_iteration_us(machine, torus.shape, local, qcdoc::Ppc440(local, options),
                                       iterations, progress);
}

}  // namespace ht::cli
