// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/bench/solve_report.hpp"

#include <fmt/format.h>

#include <optional>

#include "sim/bench/solve_iteration.hpp"
#include "sim/bench/solver_profile.hpp"
#include "sim/qpace/machine.hpp"
#include "sw/qpace/powerxcell.hpp"

namespace ht::cli {
namespace {

struct Case {
  host::LocalLattice local;
  int iterations;
};
const Case cases[] = {{{2, 2, 2, 8}, 4},  {{4, 4, 4, 8}, 2}, {{4, 4, 4, 16}, 2},
                      {{4, 4, 4, 64}, 1}, {{8, 8, 8, 8}, 1}, {{8, 8, 8, 16}, 1}};

double simulated_us(const Case& c, const qpace::PowerXCell8i& processor,
                    const bench::Progress& progress) {
  machine::QpaceMachineOptions options;
  options.shape = {2, 2, 2};
  options.node.put_latency = processor.host_path() / 2;
  options.node.notify_latency = processor.host_path() - options.node.put_latency;
  options.driver.signal_path = options.node.put_latency;
  machine::QpaceMachine machine(options);
  return bench::simulated_iteration_us(machine, options.shape, c.local, processor, c.iterations,
                                       progress);
}

}  // namespace

void solve_rows(BenchTable& table, BenchShare& share, ProgressLine& line, bool quick) {
  table.heading("Wilson CG on 2x2x2 nodes, processors' path included, % of peak");
  // "the overall solver performance drops to O(20)%": a clover solver by domain decomposition, at
  // "reasonably large local lattice size" ([QPACE2009] section 9).
  constexpr double paper = 20;
  const bench::SolverProfile solver = bench::wilson_profile();
  for (const Case& c : cases) {
    if (quick && &c - cases >= 2) break;
    const qpace::PowerXCell8i processor(c.local);
    const std::string shape =
        fmt::format("{}x{}x{}x{}", c.local[0], c.local[1], c.local[2], c.local[3]);
    line.stage("CG, " + shape);
    // Setting up takes as long as some iterations, and a site in each about 0.3 us.
    const double node_ms = 8 * (c.iterations + 6) * host::sites_of(c.local) * 0.3e-3;
    const double us = share.run(node_ms, [&] {
      return simulated_us(c, processor, [&](Picoseconds now) { line.time(now); });
    });
    const bool store = processor.placement() == qpace::powerxcell::Placement::LocalStore;
    const double flops = solver.flops * host::sites_of(c.local) / 2;
    const bool large = c.local == host::LocalLattice{8, 8, 8, 16};
    table.add({fmt::format("qpace.cg.{}_percent", shape),
               fmt::format("{}, fields in {}", shape, store ? "local stores" : "main memory"),
               "%",
               100 * flops / processor.peak_flops(8) / (us * 1e-6),
               large ? std::optional<double>(paper) : std::nullopt,
               {},
               1});
  }
}

}  // namespace ht::cli
