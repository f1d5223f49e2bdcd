// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/bench/bench_options.hpp"

namespace ht::cli {

struct BenchTofuOptions : BenchOptions {
  /// How operating systems interrupt programs: from one to the next on average, shortest, longest.
  std::string noise = "1ms,20us,50us";
};

void declare_bench_tofu_options(CLI::App& app, BenchTofuOptions& options);

/// `hypertorus bench tofu`: latency of the Tofu router and of barrier gates, collectives by every
/// pattern of gates, and what noise of operating systems makes of them, beside seed 002's numbers;
/// with --json as rows {id, value, unit, paper, limit}, with --plot as figures. Returns 0; throws
/// UsageError or DataError.
int bench_tofu(const BenchTofuOptions& options);

}  // namespace ht::cli
