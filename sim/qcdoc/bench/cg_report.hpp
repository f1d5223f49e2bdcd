// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>

#include "sim/bench/bench_options.hpp"
#include "sim/bench/bench_table.hpp"
#include "sim/bench/cg_times.hpp"

namespace ht::cli {

/// What the Wilson conjugate gradient sustains by the model of the processor and the measured
/// network, at local volumes of 2^4, 4^4, 6^4 and 8^4, beside the paper's ([QCDOC2004] section 4),
/// and where an iteration's time goes. `simulated_us`: by length of the local volume, what an
/// iteration took on Verilated nodes.
void cg_rows(BenchTable& table, const bench::CgNetwork& network,
             const std::map<int, double>& simulated_us);

/// `bench ppc440`: the same for every operator, volume and clock that the paper has a figure of,
/// with the residual of each. Nothing is simulated.
int bench_ppc440(const BenchOptions& options, const BenchSession& session);

}  // namespace ht::cli
