// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string_view>

namespace ht::cli {

/// The JSON document that `text` is; discarded if it is none, or if its values lie deeper in one
/// another than those of any document of ours: what copies and prints them calls itself for every
/// level.
nlohmann::ordered_json read_document(std::string_view text);

}  // namespace ht::cli
