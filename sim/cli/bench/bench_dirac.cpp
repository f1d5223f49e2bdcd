// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench/bench_dirac.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "sim/bench/bench_rows.hpp"
#include "sim/cli/run/report.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/dirac/bench.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {

using machine::parse_shape;

void declare_bench_dirac_options(CLI::App& app, BenchDiracOptions& options) {
  app.add_option("--lattice", options.lattice, "even extents")->capture_default_str();
  app.add_option("--seconds", options.seconds, "of each measurement")->capture_default_str();
  app.add_option("--json", options.json, "write rows {id, value, unit, paper, limit} to FILE");
}

int bench_dirac(const BenchDiracOptions& options, const BenchSession& session) {
  BenchRows rows(session.results, &session.stop);
  if (!(options.seconds > 0 && options.seconds <= 3600))
    throw UsageError(
        fmt::format("--seconds {}: must lie above 0, and be 3600 at most", options.seconds));
  const auto extents = parse_shape("--lattice", options.lattice, 4, 4);
  dirac::Coordinates lattice{};
  std::copy(extents.begin(), extents.end(), lattice.begin());
  constexpr double aim = 6;  // Gflop/s in double at 8^4
  fmt::print(
      "operators, {}, one core; the hopping term by 1320 flop a site (to reach: {} in double at "
      "8x8x8x8)\n",
      options.lattice, aim);
  ProgressLine progress(false, &session.stop);
  progress.stage("measuring");
  progress.expect_work(dirac::kOperatorSpeeds * options.seconds, "s");
  const double bandwidth = dirac::memory_bandwidth(options.seconds);
  const auto speeds =
      dirac::bench_dirac(lattice, options.seconds, [&](double s) { progress.work(s); });
  progress.clear();
  fmt::print("    {:<36} {:8.2f} GB/s\n", "dirac.memory_gbs", bandwidth);
  rows.add("dirac.memory_gbs", bandwidth, "GB/s");
  for (const dirac::OperatorSpeed& speed : speeds) {
    const double roofline = bandwidth / speed.bytes_per_flop;
    fmt::print("    {:<36} {:8.2f} Gflop/s  {:<8}  {:3.0f} % of what memory gives ({:.1f})\n",
               speed.id, speed.gflops, speed.kernels, 100 * speed.gflops / roofline, roofline);
    rows.add(speed.id, speed.gflops, "Gflop/s");
  }
  return 0;
}

}  // namespace ht::cli
