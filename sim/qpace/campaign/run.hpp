// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sim/campaign/tally.hpp"
#include "sim/qpace/campaign/scenario.hpp"

namespace ht::campaign {

/// One run of the QPACE campaign: random traffic with random faults over a fresh machine of
/// Verilated nodes, until everything is delivered and idle; then every packet, every error and
/// every counter is accounted for. A function of options and `run` alone.
RunOutcome run_qpace(const ScenarioOptions& options, std::uint64_t run, Closer* closer = nullptr);

}  // namespace ht::campaign
