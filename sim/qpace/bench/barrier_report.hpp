// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/bench/bench_share.hpp"
#include "sim/bench/bench_table.hpp"

namespace ht::cli {

/// Part of `bench qpace`: a barrier over the global signal tree beside one over the torus.
void barrier_rows(BenchTable& table, BenchShare& share, bool quick);

}  // namespace ht::cli
