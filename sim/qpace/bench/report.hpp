// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/bench_options.hpp"

namespace ht::cli {

/// `hypertorus bench qpace`: the measurements of [QPACE2009] section 6, beside the paper's numbers
/// and the limits; with --json as rows {id, value, unit, paper, limit}, with --plot as figures.
/// sim/qpace/README.md says what each row is. Returns 0; throws UsageError or DataError.
int bench_qpace(const BenchOptions& options, const BenchSession& session);

}  // namespace ht::cli
