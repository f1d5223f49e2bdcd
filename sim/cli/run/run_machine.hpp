// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "sim/cli/common/ranks.hpp"
#include "sim/cli/run/report.hpp"
#include "sim/cli/run/run_result.hpp"

namespace ht::cli {

/// Runs the job on the simulated machine of `result.options`, and puts into `result` what its links
/// counted and all else but what the program itself found out, which is in `sink`.
void run_machine(dirac::JobSpec spec, dirac::JobSink& sink, RunResult& result,
                 ProgressLine& progress, Ranks& ranks, const std::atomic<bool>& stop);

/// The same run again, with waves of `*result.waves`, until their end; `failed`: the first one did,
/// and this one may.
void repeat_with_waves(const dirac::JobSpec& spec, RunResult& result, ProgressLine& progress,
                       Ranks& ranks, const std::atomic<bool>& stop, bool failed);

}  // namespace ht::cli
