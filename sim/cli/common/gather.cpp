// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/common/gather.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ht::cli {

using Json = nlohmann::json;

Json gather_lists(sim::RankExchange* ranks, Json mine) {
  if (ranks == nullptr) return mine;
  // Not as text: JSON's texts are UTF-8, and programs print what they like.
  const std::vector<std::uint8_t> bytes = Json::to_msgpack(mine);
  Json all = Json::array();
  for (const std::string& from : ranks->gather({bytes.begin(), bytes.end()})) {
    for (Json& one : Json::from_msgpack(from.begin(), from.end())) all.push_back(std::move(one));
  }
  return all;
}

void gather_calls(sim::RankExchange* ranks, std::span<qmp::CallProfile> nodes) {
  if (ranks == nullptr) return;
  Json mine = Json::array();
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const auto& [name, calls] : nodes[n].calls())
      mine.push_back({ranks->rank(), n, name, calls.count, calls.time});
    for (const auto& [to, sent] : nodes[n].sent())
      mine.push_back({ranks->rank(), n, to, sent.messages, sent.bytes});
  }
  for (const Json& one : gather_lists(ranks, std::move(mine))) {
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
