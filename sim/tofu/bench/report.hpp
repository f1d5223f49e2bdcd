// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/bench_options.hpp"

namespace ht::cli {

/// `hypertorus bench tofu`: latency of the Tofu router and of barrier gates, collectives by every
/// pattern of gates, and the effect of operating-system noise on them, beside [Tofu2012]'s
/// numbers; with --json as rows {id, value, unit, paper, limit}, with --plot as figures. Returns 0;
/// throws UsageError or DataError.
int bench_tofu(const BenchOptions& options, const BenchSession& session);

}  // namespace ht::cli
