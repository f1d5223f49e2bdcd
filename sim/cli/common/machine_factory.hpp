// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <memory>

#include "sim/cli/common/machine_options.hpp"
#include "sim/plugin/description.hpp"

namespace ht::dirac {
struct JobSpec;
}

namespace ht::cli {

using machine::BuildRequirements;
class Ranks;

/// Throws UsageError unless this computer has room for the machine that the options ask for, or for
/// its functional network, and says how many nodes fit: before anything is made, and before a
/// reference runs. `ranks`: the processes that share the machine.
void require_room(const MachineOptions& options, const Ranks& ranks);

/// Builds the machine that the options ask for; `stop` ends a run from outside. Throws UsageError
/// for what the machine cannot be.
std::unique_ptr<machine::Machine> build_machine(const MachineOptions& options,
                                                BuildRequirements requirements, const Ranks& ranks,
                                                const std::atomic<bool>& stop);

/// A node's processor, with the part of the job's lattice that lies on it.
std::unique_ptr<host::ProcessorModel> processor_for(const MachineOptions& options,
                                                    const dirac::JobSpec& spec);

}  // namespace ht::cli
