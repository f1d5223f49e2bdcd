// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/bench/cg_report.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "sw/qcdoc/ppc440.hpp"

namespace ht::cli {
namespace {

struct Case {
  int length;
  std::optional<double> paper;  ///< % of peak
};
// 4^4 on 128 nodes; 8^4 is the least that has to "put part of the problem in external" memory:
// "in the range of 30 %".
constexpr Case cases[] = {{2, {}}, {4, 40.0}, {6, {}}, {8, 30.0}};

host::LocalLattice cube(int length) {
  return {length, length, length, length};
}

bench::CgTimes times(int length, const bench::CgNetwork& network) {
  return bench::cg_times(cube(length), qcdoc::Ppc440(cube(length)), network);
}

}  // namespace

void cg_rows(BenchTable& table, const bench::CgNetwork& network,
             const std::map<int, double>& simulated_us) {
  table.heading("Wilson CG, the processor by its model, % of peak");
  for (const Case& c : cases) {
    const bench::CgTimes t = times(c.length, network);
    table.add({fmt::format("qcdoc.cg.{0}x{0}x{0}x{0}_percent", c.length),
               fmt::format("local volume {0}x{0}x{0}x{0}", c.length),
               "%",
               100 * t.efficiency(),
               c.paper,
               {},
               1});
    if (const auto us = simulated_us.find(c.length); us != simulated_us.end())
      table.add({fmt::format("qcdoc.cg.{0}x{0}x{0}x{0}_simulated_percent", c.length),
                 "  simulated: an iteration on 16 nodes",
                 "%",
                 100 * t.peak / us->second,
                 c.paper,
                 {},
                 1});
  }
  fmt::print("\n{:<28}{:>10}{:>10}{:>10}{:>10}{:>10}{:>12}\n", "  % of an iteration's time",
             "hopping", "linear", "packing", "halo", "sums", "us");
  for (const Case& c : cases) {
    const bench::CgTimes t = times(c.length, network);
    fmt::print("    {:<24}", fmt::format("{0}x{0}x{0}x{0}", c.length));
    for (const double part : {t.hopping, t.linear, t.packing, t.halo_wait, t.sums})
      fmt::print("{:>10.1f}", 100 * part / t.total());
    fmt::print("{:>12.1f}\n", t.total());
  }
}

}  // namespace ht::cli
