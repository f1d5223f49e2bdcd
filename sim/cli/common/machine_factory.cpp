// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/machine_factory.hpp"

#include <algorithm>

#include "sim/cli/common/ranks.hpp"
#include "sim/qcdoc/machine.hpp"
#include "sim/tofu/machine.hpp"
#include "sw/dirac/job.hpp"
#include "sw/host/errors.hpp"
#include "sw/qcdoc/ppc440.hpp"
#include "sw/qpace/powerxcell.hpp"
#include "sw/tofu/sparc64viiifx.hpp"

namespace ht::cli {
namespace {

machine::CableErrors cable_errors(const MachineOptions& o) {
  machine::CableErrors e;
  e.bit_error_rate = o.ber;
  e.bursts = o.bursts;
  e.burst_bits = o.burst_bits;
  e.lost = o.lost;
  e.doubled = o.doubled;
  e.stuck = o.stuck;
  e.pulled = o.pulled;
  e.forged = o.forged;
  e.until = e.from + o.error_span;
  return e;
}

sim::KernelOptions kernel_options(const MachineOptions& o, const Ranks& ranks,
                                  const std::atomic<bool>& stop) {
  sim::KernelOptions k;
  k.threads = static_cast<unsigned>(o.threads);
  k.jump = o.skip_idle;
  k.watchdog = o.timeout;
  k.ranks = ranks.exchange();
  k.stop = &stop;
  return k;
}

// What the options of every machine have.
template <class Options>
Options common_options(const MachineOptions& o, const sim::KernelOptions& kernel) {
  Options m;
  m.node.skip_idle = o.skip_idle;
  m.random_phases = o.random_phases;
  m.cable_delay = o.cable_delay;
  m.errors = cable_errors(o);
  m.noise = o.noise;
  m.seed = o.seed;
  m.kernel = kernel;
  return m;
}

machine::QpaceMachineOptions qpace_options(const MachineOptions& o, const MachineWants& wants,
                                           const sim::KernelOptions& kernel) {
  auto m = common_options<machine::QpaceMachineOptions>(o, kernel);
  m.shape = o.nodes;
  m.node.core_clock.period = o.core_period;
  m.node.put_latency = wants.host_path / 2;
  m.node.notify_latency = wants.host_path - m.node.put_latency;
  m.split_axis = o.split_axis;
  m.split = o.split_axis >= 0;
  m.kill_on_error = wants.kill_on_error;
  m.driver.tree_barrier = o.tree_barrier;
  m.driver.signal_path = m.node.put_latency;
  m.ethernet = wants.ethernet;
  return m;
}

host::LocalLattice local_lattice(const dirac::JobSpec& spec) {
  host::LocalLattice local = spec.lattice;
  for (std::size_t mu = 0; mu < spec.node_grid.size(); ++mu) local[mu] /= spec.node_grid[mu];
  return local;
}

machine::QcdocMachineOptions qcdoc_options(const MachineOptions& o,
                                           const sim::KernelOptions& kernel) {
  auto m = common_options<machine::QcdocMachineOptions>(o, kernel);
  m.shape = o.machine;
  m.application = o.nodes;
  m.fold = o.fold;
  m.cuts = o.cuts;
  m.boot = o.boot;
  return m;
}

machine::TofuMachineOptions tofu_options(const MachineOptions& o,
                                         const sim::KernelOptions& kernel) {
  auto m = common_options<machine::TofuMachineOptions>(o, kernel);
  std::ranges::copy(o.machine, m.shape.length.begin());
  m.application = o.nodes;
  m.ranks = {o.io_nodes, o.failed};
  return m;
}

}  // namespace

BuiltMachine build_machine(const MachineOptions& o, const MachineWants& wants, const Ranks& ranks,
                           const std::atomic<bool>& stop) {
  const sim::KernelOptions kernel = kernel_options(o, ranks, stop);
  BuiltMachine built;
  switch (o.kind) {
    case MachineKind::Qpace: {
      auto qpace = std::make_unique<machine::QpaceMachine>(qpace_options(o, wants, kernel));
      built.qpace = qpace.get();
      built.machine = std::move(qpace);
      break;
    }
    case MachineKind::Qcdoc:
      built.machine = std::make_unique<machine::QcdocMachine>(qcdoc_options(o, kernel));
      break;
    case MachineKind::Tofu:
      built.machine = std::make_unique<machine::TofuMachine>(tofu_options(o, kernel));
      break;
  }
  return built;
}

std::unique_ptr<host::ProcessorModel> processor_for(MachineKind kind, const dirac::JobSpec& spec) {
  switch (kind) {
    case MachineKind::Qpace:
      return std::make_unique<host::PowerXCell8i>(local_lattice(spec));
    case MachineKind::Tofu:
      return std::make_unique<host::Sparc64Viiifx>(local_lattice(spec));
    case MachineKind::Qcdoc:
      break;
  }
  return std::make_unique<host::Ppc440>(local_lattice(spec));
}

}  // namespace ht::cli
