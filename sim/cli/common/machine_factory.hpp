// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>

#include "sim/cli/common/machine_options.hpp"
#include "sim/machine/machine.hpp"
#include "sim/qpace/machine.hpp"
#include "sw/host/processor_model.hpp"

namespace ht::dirac {
struct JobSpec;
}

namespace ht::cli {

class Ranks;

/// A machine, and what only one kind of machine has.
struct BuiltMachine {
  std::unique_ptr<machine::Machine> machine;
  machine::QpaceMachine* qpace = nullptr;  ///< null if it is another
};

/// What commands want of a machine besides the options.
struct MachineWants {
  Picoseconds host_path = 0;  ///< of a message, at both ends' processors together
  bool kill_on_error = true;  ///< a program that fails ends the others of its partition by a kill
  machine::EthernetOptions ethernet;
};

/// Builds it. `stop` ends a run from outside. Throws UsageError for what the machine cannot be.
BuiltMachine build_machine(const MachineOptions& options, const MachineWants& wants,
                           const Ranks& ranks, const std::atomic<bool>& stop);

/// A node's processor, with the part of the job's lattice that lies on it.
std::unique_ptr<host::ProcessorModel> processor_for(MachineKind kind, const dirac::JobSpec& spec);

}  // namespace ht::cli
