// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_options.hpp"

#include "sim/bench/gnuplot.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/document.hpp"

namespace ht::cli {

bool BenchSession::reports() const {
  return ranks == nullptr || ranks->rank() == 0;
}

std::vector<BenchLine> check_bench_options(const BenchOptions& options,
                                           std::initializer_list<const char*> figures) {
  if (!options.plot.empty()) {
    require_gnuplot("--plot");
    std::vector<NamedFile> written{{"--json", options.json}};
    for (const char* figure : figures) {
      const std::string stem = options.plot + figure;
      for (const char* ending : {".svg", ".png"}) check_writable(stem + ending);
      written.push_back({"--plot", stem, {".svg", ".png"}});
    }
    check_distinct(written, {{"--cells", options.cells}});
  }
  return options.cells.empty() ? std::vector<BenchLine>{} : read_bench_lines(options.cells);
}

}  // namespace ht::cli
