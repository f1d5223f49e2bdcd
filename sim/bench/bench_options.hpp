// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <initializer_list>
#include <string>
#include <vector>

#include "sim/bench/bench_table.hpp"
#include "sim/plugin/options.hpp"

namespace ht::sim {
class RankExchange;
}

namespace ht::cli {

/// What the benches of all machines take.
struct BenchOptions {
  std::string json;
  std::string plot;    ///< stem of the figures' names; empty: none
  std::string cells;   ///< JSON rows of fpga/common/cells.py to show and pass on; empty: none
  bool quick = false;  ///< fewer points
  machine::OwnArguments own;
};

/// Where a bench leaves its rows, whether it is to end, and the processes that it is spread over:
/// all run it, the first one reports. Null: there is one.
struct BenchSession {
  Results& results;
  const std::atomic<bool>& stop;
  sim::RankExchange* ranks = nullptr;

  bool reports() const;
};

/// What the library of a machine's benches exports as hypertorus_bench().
struct MachineBenches {
  /// Runs that of the machine's benches. Returns an exit code; throws UsageError, DataError, or
  /// InterruptedError once it is to end.
  int (*run)(const std::string& name, const BenchOptions& options, const BenchSession& session);
};

/// The rows of --cells. Throws UsageError or DataError for what would otherwise fail only at the
/// end of a bench: with --plot, these figures (".transfer") that cannot be drawn, or not be
/// written.
std::vector<BenchLine> check_bench_options(const BenchOptions& options,
                                           std::initializer_list<const char*> figures);

}  // namespace ht::cli
