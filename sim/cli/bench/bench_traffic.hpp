// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <vector>

#include "sim/machine/machine.hpp"
#include "sim/plugin/description.hpp"

namespace ht::cli {

/// By then links have trained, ps.
constexpr Picoseconds links_up = 20'000'000;
/// Of each message, and of those of a link one way in a round.
constexpr std::size_t message_bytes = 2048, messages_a_round = 2;

/// Keeps all links of the node to others, or to itself, too, sending and receiving for ever; in
/// rounds that begin `round` ps after one another, or, if that is 0, as fast as they can.
void neighbour_traffic(qmp::Transport& driver, bool own_links, Picoseconds round = 0);

/// The ps of a round in which links are busy for `load` of the time with messages alone.
Picoseconds round_of(const machine::MachineTraits& traits, Picoseconds link_period, double load);

/// The machine alone: no host's time, no errors.
std::unique_ptr<machine::Machine> bare_machine(const machine::MachineDescription& type,
                                               const std::vector<int>& shape, bool skip_idle,
                                               const sim::KernelOptions& kernel);

}  // namespace ht::cli
