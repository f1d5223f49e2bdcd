// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/bench_share.hpp"
#include "sim/bench/bench_table.hpp"

namespace ht::cli {

/// What the Wilson conjugate gradient sustains on eight Verilated nodes, 2x2x2, the processors'
/// path included, at local volumes from 2x2x2x8 to 8x8x8x16: fields in the local stores where they
/// fit. With `quick` the first two.
void solve_rows(BenchTable& table, BenchShare& share, ProgressLine& line, bool quick);

}  // namespace ht::cli
