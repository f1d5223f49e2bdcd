// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/gather.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.hpp"

namespace ht::machine {

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

}  // namespace ht::machine
