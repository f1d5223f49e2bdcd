// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

/// What hypertorus-report.so exports as hypertorus_report(): the page of `run --report`.
struct ReportLibrary {
  /// Throws DataError if the page or its figures could not be written later.
  void (*check_writable)(const std::string& stem);
  /// Throws DataError.
  void (*write)(const RunResult& result, const std::string& stem);
};

}  // namespace ht::cli
