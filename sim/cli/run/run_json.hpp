// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

/// What both ends of a link have counted, in `unit`s ("packets").
nlohmann::ordered_json link_json(const machine::LinkReport& link, const std::string& unit);

/// A run's results; the keys are listed in sim/cli/README.md.
nlohmann::ordered_json run_document(const RunResult& result);

/// The key "options" of it, which is known before anything runs.
nlohmann::ordered_json options_json(const RunOptions& options);

}  // namespace ht::cli
