// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_options.hpp"

#include "sim/bench/gnuplot.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/output/document.hpp"

namespace ht::cli {

bool BenchSession::reports() const {
  return ranks == nullptr || ranks->rank() == 0;
}

std::vector<BenchLine> check_bench_options(const BenchOptions& options,
                                           std::initializer_list<const char*> figures) {
  if (!options.plot.empty()) {
    require_gnuplot("--plot");
    for (const char* figure : figures) check_writable(options.plot + figure + ".svg");
  }
  return options.cells.empty() ? std::vector<BenchLine>{} : read_bench_lines(options.cells);
}

}  // namespace ht::cli
