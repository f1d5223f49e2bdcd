// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "sim/cli/run/run_result.hpp"
#include "sim/output/document.hpp"

namespace ht::cli {

/// What both ends of a link have counted, in `unit`s ("packets").
nlohmann::ordered_json link_json(const machine::LinkReport& link, const std::string& unit);

/// A run's results; the keys are listed in sim/cli/README.md.
nlohmann::ordered_json run_document(const RunResult& result);

/// Writes a run's results; the keys are listed in sim/cli/README.md. Throws DataError.
void write_json(const RunResult& result, const std::string& file);

}  // namespace ht::cli
