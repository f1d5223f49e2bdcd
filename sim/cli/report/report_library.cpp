// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/report/report_library.hpp"

#include "sim/cli/report/calls_page.hpp"
#include "sim/cli/report/html_report.hpp"

extern "C" const ht::cli::ReportLibrary* hypertorus_report() {
  static constexpr ht::cli::ReportLibrary library{ht::cli::check_report_writable,
                                                  ht::cli::write_report, ht::cli::write_calls_page};
  return &library;
}
