// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/barrier_report.hpp"

#include <fmt/format.h>

#include "sim/machine/torus.hpp"
#include "sim/qpace/bench/barrier.hpp"

namespace ht::cli {

void barrier_rows(BenchTable& table, BenchShare& share, bool quick) {
  constexpr Picoseconds host_path = 2'500'000;  // 3 us less 0.5 us, section 6
  table.heading("Barrier: global signal tree, or messages over the torus");
  const auto row = [&](const char* shape_text, const std::vector<int>& shape, const char* suffix) {
    for (const bool tree : {true, false}) {
      for (const Picoseconds path : {host_path, Picoseconds{0}}) {
        const bench::BarrierOptions options{shape, tree, path, quick ? 5 : 20};
        const double node_ms = machine::node_count(shape) * options.rounds * 10e-3;
        const double time = share.run(node_ms, [&] { return bench::barrier_time(options); });
        table.add({fmt::format("qpace.barrier_{}{}{}_us", tree ? "tree" : "torus", suffix,
                               path == 0 ? "_no_host" : ""),
                   fmt::format("{}, {}{}", shape_text, tree ? "tree" : "torus",
                               path == 0 ? ", no host path" : ""),
                   "us",
                   time * 1e-6,
                   {},
                   {},
                   3});
      }
    }
  };
  row("2x2x2", {2, 2, 2}, "");
  if (!quick) row("4x4x4", {4, 4, 4}, "_64");
}

}  // namespace ht::cli
