// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

/// Throws DataError if `file` could not be written later: before hours of simulation, not after.
void check_writable(const std::string& file);

/// Writes a JSON document. Throws DataError.
void write_document(const nlohmann::ordered_json& document, const std::string& file);
/// What both ends of a link have counted, in `unit`s ("packets").
nlohmann::ordered_json link_json(const machine::LinkReport& link, const std::string& unit);

/// A run's results; the keys are listed in sim/cli/README.md.
nlohmann::ordered_json run_document(const RunResult& result);

/// Writes a run's results; the keys are listed in sim/cli/README.md. Throws DataError.
void write_json(const RunResult& result, const std::string& file);

}  // namespace ht::cli
