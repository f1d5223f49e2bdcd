// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/run/run_result.hpp"
#include "sim/output/progress_line.hpp"

namespace ht::cli {

/// Prints what is known before the run: machine, cables, field, operator, source.
void print_setup(const RunOptions& options, const dirac::JobSpec& spec);

/// Prints the results: field, residuals, correlator, time split, links, errors, verdict.
void print_result(const RunResult& result);

/// Of a run that ended with an error: the verdict, with what had gone undetected, if anything had.
void print_failure(const RunResult& result);

}  // namespace ht::cli
