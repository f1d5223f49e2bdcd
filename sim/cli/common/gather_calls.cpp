// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/gather_calls.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "sim/kernel/kernel.hpp"
#include "sim/machine/gather.hpp"

namespace ht::cli {

void gather_calls(sim::RankExchange* ranks, std::span<qmp::CallProfile> nodes) {
  if (ranks == nullptr) return;
  nlohmann::json mine = nlohmann::json::array();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const auto& [name, calls] : nodes[n].calls())
      mine.push_back({ranks->rank(), n, name, calls.count, calls.time});
    for (const auto& [to, sent] : nodes[n].sent())
      mine.push_back({ranks->rank(), n, to, sent.messages, sent.bytes});
  }
  for (const nlohmann::json& one : machine::gather_lists(ranks, std::move(mine))) {
    if (one[0] == ranks->rank()) continue;
    qmp::CallProfile& node = nodes[one[1].get<std::size_t>()];
    if (one[2].is_string()) {
      node.add_calls(one[2].get<std::string>(), {one[3], one[4]});
    } else {
      node.add_traffic(one[2], {one[3], one[4]});
    }
  }
}

}  // namespace ht::cli
