// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/bench/cg_report.hpp"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "sw/qcdoc/ppc440.hpp"

namespace ht::cli {
namespace {

using host::Overlap;

struct Case {
  int length;
  std::optional<double> paper;  ///< % of peak
};
// 4^4 on 128 nodes; 8^4 is the least that has to "put part of the problem in external" memory:
// "in the range of 30 %".
constexpr Case cases[] = {{2, {}}, {4, 40.0}, {6, {}}, {8, 30.0}};

constexpr std::pair<Overlap, const char*> overlaps[] = {{Overlap::Full, "at once"},
                                                        {Overlap::None, "in turn"}};

bench::CgTimes times(int length, Overlap overlap, const bench::CgNetwork& network) {
  const host::LocalLattice local{length, length, length, length};
  return bench::cg_times(local, qcdoc::Ppc440(local, {.overlap = overlap}), network);
}

}  // namespace

void cg_rows(BenchTable& table, const bench::CgNetwork& network,
             const std::map<int, double>& simulated_us) {
  table.heading("Wilson CG, the processor by its model, % of peak");
  for (const Case& c : cases) {
    for (const auto& [overlap, how] : overlaps) {
      table.add({fmt::format("qcdoc.cg.{0}x{0}x{0}x{0}{1}_percent", c.length,
                             overlap == Overlap::None ? "_in_turn" : ""),
                 fmt::format("local volume {0}x{0}x{0}x{0}, its devices work {1}", c.length, how),
                 "%",
                 100 * times(c.length, overlap, network).efficiency(),
                 c.paper,
                 {},
                 1});
    }
    if (const auto us = simulated_us.find(c.length); us != simulated_us.end())
      table.add({fmt::format("qcdoc.cg.{0}x{0}x{0}x{0}_simulated_percent", c.length),
                 "  simulated: an iteration on 16 nodes, devices at once",
                 "%",
                 100 * times(c.length, Overlap::Full, network).peak / us->second,
                 c.paper,
                 {},
                 1});
  }
  fmt::print("\n{:<28}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", "  % of an iteration's time",
             "hopping", "linear", "packing", "halo", "sums", "us");
  for (const Case& c : cases) {
    for (const auto& [overlap, how] : overlaps) {
      const bench::CgTimes t = times(c.length, overlap, network);
      fmt::print("    {:<24}", fmt::format("{0}x{0}x{0}x{0}, {1}", c.length, how));
      for (const double part : {t.hopping, t.linear, t.packing, t.halo_wait, t.sums})
        fmt::print("{:>10.1f}", 100 * part / t.total());
      fmt::print("{:>12.1f}\n", t.total());
    }
  }
  fmt::print(
      "  The hopping term's 1,320 flop take 840 instructions, 660 cycles at peak; in turn with "
      "loads, stores and memory 1,296.\n  Cycles lost between dependent instructions and to cache "
      "misses are in neither; the paper's machine had them.\n");
}

}  // namespace ht::cli
