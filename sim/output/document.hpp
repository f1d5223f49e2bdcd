// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ht::cli {

/// Throws DataError if `file` could not be written later: before hours of simulation, not after.
void check_writable(const std::string& file);

/// Writes a JSON document. Throws DataError.
void write_document(const nlohmann::ordered_json& document, const std::string& file);

}  // namespace ht::cli
