// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>

namespace ht::sim {
class RankExchange;
}

namespace ht::machine {

/// A list of every process, one after the other, by rank; on all of them. What texts it has may
/// hold any bytes. Null: this process is alone.
nlohmann::json gather_lists(sim::RankExchange* ranks, nlohmann::json mine);

}  // namespace ht::machine
