// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/campaign/scenario.hpp"
#include "sim/campaign/tally.hpp"

namespace ht::grid {

/// One run of the fault campaign: random messages with random trouble over a fresh machine, until
/// all has arrived; then every message, every error and every counter is accounted for. A function
/// of options and `run` alone.
campaign::RunOutcome run_campaign(const campaign::ScenarioOptions& options, std::uint64_t run,
                                  campaign::Closer* closer);

}  // namespace ht::grid
