// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sim/bench/bench_options.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

struct BenchDiracOptions {
  std::string lattice = "8x8x8x8";
  double seconds = 0.5;
  std::string json;
};

void declare_bench_dirac_options(CLI::App& app, BenchDiracOptions& options);

/// `hypertorus bench dirac`: prints the hopping term's Gflop/s on one core of this computer and the
/// aim beside it; with --json also as rows {id, value, unit, paper, limit}. Returns 0; throws
/// UsageError or DataError.
int bench_dirac(const BenchDiracOptions& options, const BenchSession& session);

}  // namespace ht::cli
