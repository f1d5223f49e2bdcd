// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sim/campaign/tally.hpp"
#include "sim/qcdoc/campaign/scenario.hpp"

namespace ht::campaign {

/// One run of the QCDOC campaign: random words with random faults over a fresh machine of
/// Verilated nodes, until everything is delivered and idle, or a link is reported down; then
/// every word, every error and every counter is accounted for. A function of options and `run`
/// alone.
RunOutcome run_qcdoc(const ScenarioOptions& options, std::uint64_t run, Closer* closer = nullptr);

}  // namespace ht::campaign
