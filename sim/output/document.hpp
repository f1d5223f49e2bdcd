// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sw/host/output_file.hpp"

namespace ht::cli {

using host::check_writable;

/// Of all JSON documents that the program writes (docs/json.md): it grows when a key is taken away
/// or means something else, not when one is added.
constexpr int json_schema_version = 1;

/// Writes a JSON document. Text that is not UTF-8 is written with replacement characters. Throws
/// DataError.
void write_document(const nlohmann::ordered_json& document, const std::string& file);

}  // namespace ht::cli
