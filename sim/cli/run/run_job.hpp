// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "sim/cli/run/run_options.hpp"
#include "sim/cli/run/run_result.hpp"
#include "sim/machine/solve.hpp"
#include "sim/output/progress_line.hpp"
#include "sw/dirac/job.hpp"

namespace ht::cli {

/// The job that the options describe. Reads the configuration file, if there is one (DataError).
dirac::JobSpec job_spec(const RunOptions& options, ProgressLine& progress);

/// Throws UsageError if a node of the machine that is simulated has no room for its part of the
/// job.
void require_node_memory(const RunOptions& options, const dirac::JobSpec& spec);

/// The job on every node of a functional network of that shape. Throws UsageError for a source
/// whose numbers grew too large.
void run_functional(const std::vector<int>& grid, const dirac::JobSpec& spec, dirac::JobSink& sink,
                    const std::atomic<bool>& stop);

/// Makes a sink whole that several processes have filled, each with what its nodes found out; on
/// all of them. Null: this process is alone.
void merge_sink(sim::RankExchange* ranks, dirac::JobSink& sink);

/// Counts the 32-bit words in which two solutions differ.
void compare(const dirac::JobSink& reference, const dirac::JobSink& sink, RunResult& result);

}  // namespace ht::cli
