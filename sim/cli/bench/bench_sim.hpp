// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "sim/bench/bench_options.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/plugin/catalog.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

struct BenchSimOptions {
  std::string machine;  ///< empty: the first
  std::vector<int> nodes{1, 8, 64, 512};
  std::string peer;  ///< folder of the other simulator; empty: none
  double load = 0.3;
  int rounds = 3;
  std::vector<int> threads{1, 2};
  double seconds = 1;
  std::vector<std::string> set;
  std::string json;
};

void declare_bench_sim_options(CLI::App& app, BenchSimOptions& options,
                               const machine::MachineCatalog& catalog);

/// `hypertorus bench sim`: how many link clock cycles of a node this computer simulates a second
/// and core: with all links to other nodes sending and receiving, and idle; with and without
/// skipping and tracing. Returns 0; throws UsageError or DataError.
int bench_sim(const BenchSimOptions& options, const machine::MachineCatalog& catalog,
              const BenchSession& session, Ranks& ranks);

}  // namespace ht::cli
