// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>

#include "sw/qmp/call_profile.hpp"

namespace ht::sim {
class RankExchange;
}

namespace ht::cli {

/// Adds to `nodes`, by rank of the job, what other processes know of it: each node's calls are
/// known in one only. Null: this process is alone.
void gather_calls(sim::RankExchange* ranks, std::span<qmp::CallProfile> nodes);

}  // namespace ht::cli
