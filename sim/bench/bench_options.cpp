// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/bench_options.hpp"

#include <CLI/CLI.hpp>

#include "sim/bench/gnuplot.hpp"
#include "sim/cli/run/run_json.hpp"

namespace ht::cli {

void declare_bench_options(CLI::App& app, BenchOptions& options, const std::string& figures,
                           const std::string& quick) {
  app.add_option("--json", options.json, "write rows {id, value, unit, paper, limit} to FILE");
  app.add_option("--plot", options.plot, "draw " + figures + ", .svg and .png, with gnuplot");
  app.add_option("--cells", options.cells,
                 "show and pass on the rows of FILE, written by fpga/common/cells.py --table");
  app.add_flag("--quick", options.quick, quick);
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
