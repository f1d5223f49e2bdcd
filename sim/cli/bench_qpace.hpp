// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace ht::cli {

struct BenchQpaceOptions {
  std::string json;
  std::string plot;    ///< stem of the figures' names; empty: none
  std::string cells;   ///< JSON rows of fpga/common/cells.py to show and pass on; empty: none
  bool quick = false;  ///< fewer points and shorter runs
};

void declare_bench_qpace_options(CLI::App& app, BenchQpaceOptions& options);

/// `hypertorus bench qpace`: the measurements of seed 004, section 6, beside the paper's numbers
/// and the limits; with --json as rows {id, value, unit, paper, limit}, with --plot as figures.
/// sim/cli/README.md says what each row is. Returns 0; throws UsageError or DataError.
int bench_qpace(const BenchQpaceOptions& options);

}  // namespace ht::cli
