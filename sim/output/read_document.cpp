// SPDX-License-Identifier: Apache-2.0
#include "sim/output/read_document.hpp"

#include <nlohmann/json.hpp>

namespace ht::cli {

nlohmann::ordered_json read_document(std::string_view text) {
  using Json = nlohmann::ordered_json;
  constexpr int deepest = 100;
  struct TooDeep {};
  try {
    const auto look = [](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
      if (depth > deepest) throw TooDeep();
      return true;
    };
    return Json::parse(text, look, false);
  } catch (const TooDeep&) {
    return Json(Json::value_t::discarded);
  }
}

}  // namespace ht::cli
