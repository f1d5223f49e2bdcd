// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace CLI {
class App;
}

namespace ht::cli {

struct BenchQcdocOptions {
  std::string json;
  std::string plot;    ///< stem of the figure's name; empty: none
  std::string cells;   ///< JSON rows of fpga/common/cells.py to show and pass on; empty: none
  bool quick = false;  ///< fewer points
};

void declare_bench_qcdoc_options(CLI::App& app, BenchQcdocOptions& options);

/// `hypertorus bench qcdoc`: bandwidth, latency and global operations of the QCDOC network, and
/// what the Wilson conjugate gradient sustains on it, beside seed 000's numbers and the limits;
/// with --json as rows {id, value, unit, paper, limit}, with --plot as a figure. sim/cli/README.md
/// says what each row is. Returns 0; throws UsageError or DataError.
int bench_qcdoc(const BenchQcdocOptions& options);

}  // namespace ht::cli
