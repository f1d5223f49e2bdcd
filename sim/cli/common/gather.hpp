// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>

#include "sw/qmp/call_profile.hpp"

namespace ht::sim {
class RankExchange;
}

namespace ht::cli {

/// A list of every process, one after the other, by rank; on all of them. What texts it has may
/// hold any bytes. Null: this process is alone.
nlohmann::json gather_lists(sim::RankExchange* ranks, nlohmann::json mine);

/// Adds to `nodes`, by rank of the job, what other processes know of it: each node's calls are
/// known in one only.
void gather_calls(sim::RankExchange* ranks, std::span<qmp::CallProfile> nodes);

}  // namespace ht::cli
