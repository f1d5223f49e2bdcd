// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/bench_options.hpp"

namespace ht::cli {

/// `hypertorus bench qcdoc`: bandwidth, latency and global operations of the QCDOC network, and
/// what the Wilson conjugate gradient sustains on it, beside [QCDOC2004]'s numbers and the limits;
/// with --json as rows {id, value, unit, paper, limit}, with --plot as a figure.
/// sim/qcdoc/README.md says what each row is. Returns 0; throws UsageError or DataError.
int bench_qcdoc(const BenchOptions& options, const BenchSession& session);

}  // namespace ht::cli
