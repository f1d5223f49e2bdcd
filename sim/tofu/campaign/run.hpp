// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sim/campaign/tally.hpp"
#include "sim/tofu/campaign/scenario.hpp"

namespace ht::campaign {

/// One run of the Tofu campaign: random operations of barrier gates on several channels with random
/// faults over a fresh machine of Verilated nodes, until everything has ended and is at rest; then
/// every result, every error and every counter is accounted for. A function of options and `run`
/// alone.
RunOutcome run_tofu(const ScenarioOptions& options, std::uint64_t run, Closer* closer = nullptr);

}  // namespace ht::campaign
