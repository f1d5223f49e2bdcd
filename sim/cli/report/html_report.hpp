// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

/// Throws what check_writable() throws, for the page and its figures; UsageError if `file` does not
/// end in .html.
void check_report_writable(const std::string& file);

/// Writes a run as one page that needs nothing else (XHTML with inline SVG; every number of it
/// carries its exact value, as in the JSON file, in <data value="...">), and beside FILE.html the
/// figures as FILE.residual.svg, FILE.time.svg, FILE.torus.svg, FILE.correlator.svg and
/// FILE.messages.svg, as far as the run has them. Throws DataError.
void write_report(const RunResult& result, const std::string& file);

}  // namespace ht::cli
