// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/machine_factory.hpp"

#include "sim/cli/common/ranks.hpp"
#include "sim/machine/machine.hpp"
#include "sw/dirac/job.hpp"
#include "sw/qmp/functional_machine.hpp"

namespace ht::cli {

void require_room(const MachineOptions& o, const Ranks& ranks) {
  if (o.rtl) {
    machine::require_memory(o.machine, o.type->traits().simulated_bytes, ranks.exchange());
  } else {
    const qmp::FunctionalMachine fits(o.nodes);
  }
}

std::unique_ptr<machine::Machine> build_machine(const MachineOptions& o,
                                                BuildRequirements requirements, const Ranks& ranks,
                                                const std::atomic<bool>& stop) {
  sim::KernelOptions& k = requirements.kernel;
  k.threads = static_cast<unsigned>(o.threads);
  k.jump = o.skip_idle;
  k.watchdog = o.timeout;
  k.watchdog_seconds = o.processor_timeout;
  k.ranks = ranks.exchange();
  k.stop = &stop;
  return o.type->build(o, requirements);
}

std::unique_ptr<host::ProcessorModel> processor_for(const MachineOptions& options,
                                                    const dirac::JobSpec& spec) {
  host::LocalLattice local = spec.lattice;
  for (std::size_t mu = 0; mu < spec.node_grid.size(); ++mu) local[mu] /= spec.node_grid[mu];
  return options.type->processor(options, local);
}

}  // namespace ht::cli
