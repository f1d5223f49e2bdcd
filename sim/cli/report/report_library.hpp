// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "sim/cli/run/run_result.hpp"
#include "sw/qmp/call_profile.hpp"

namespace ht::cli {

/// Figures of a run's page.
inline constexpr std::array report_figures{"residual", "time", "torus", "correlator", "messages"};
/// Where one of them is written: FILE.NAME.svg beside FILE.html.
inline std::string report_figure_file(const std::string& page, const std::string& figure) {
  return page.substr(0, page.rfind(".html")) + "." + figure + ".svg";
}

/// What hypertorus-report.so exports as hypertorus_report(): pages of `run --report` and `exec
/// --report`.
struct ReportLibrary {
  /// Throws DataError if the page or its figures could not be written later, UsageError for a name
  /// that does not end in .html.
  void (*check_writable)(const std::string& file);
  /// Throws DataError.
  void (*write)(const RunResult& result, const std::string& file);
  /// Of a program: see write_calls_page(). Throws DataError.
  void (*write_calls)(const nlohmann::ordered_json& document,
                      std::span<const qmp::CallProfile> nodes, const std::string& file);
};

/// Opens it. Throws DataError if it is not there.
const ReportLibrary* report_library();

}  // namespace ht::cli
