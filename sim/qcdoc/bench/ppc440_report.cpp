// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "sim/output/progress_line.hpp"
#include "sim/qcdoc/bench/cg_report.hpp"
#include "sw/qcdoc/ppc440.hpp"

namespace ht::cli {
namespace {

using bench::CgNetwork;
using bench::CgTimes;
using bench::SolverProfile;
using host::LocalLattice;

// What `bench qcdoc` measures at 500 MHz, in cycles: a word from memory to memory, mean, 225.75 ns;
// a word of 72 bits; a global sum on 64 nodes, 1.92 us, for the 128 of the paper's benchmarks.
constexpr double first_word_cycles = 112.9, word_cycles = 72, sum_cycles = 960;

LocalLattice cube(int length) {
  return {length, length, length, length};
}

/// A prediction beside a figure of [QCDOC2004] section 4.
struct Figure {
  SolverProfile solver;
  int length;
  double clock_mhz;
  std::optional<double> paper;  ///< % of peak
  double margin = 0;            ///< either way, of a figure that is a range
  std::string note;
  bool calibrates = false;

  /// How far `percent` is off the paper's, or off its range.
  double residual(double percent) const {
    const double off = percent - *paper;
    return off > margin ? off - margin : off < -margin ? off + margin : 0;
  }
  std::string paper_text() const {
    if (!paper) return {};
    return margin > 0 ? fmt::format("{:.0f} to {:.0f}", *paper - margin, *paper + margin)
                      : fmt::format("{:.1f}", *paper);
  }
};

CgTimes times(const SolverProfile& solver, int length, double clock_mhz) {
  const double ns = 1e3 / clock_mhz;
  const qcdoc::Ppc440 processor(cube(length), {.clock = clock_mhz * 1e6});
  const CgNetwork network{first_word_cycles * ns, word_cycles * ns, sum_cycles * ns * 1e-3};
  return bench::cg_times(cube(length), processor, network, solver);
}

std::vector<Figure> figures() {
  using namespace bench;
  std::vector<Figure> all = {
      {wilson_profile(), 4, 450, 40.0, 0, "calibrates the model", true},
      {clover_profile(), 4, 450, 46.5, 0, "", false},
      {clover_profile(true), 4, 450, 46.5, 0, "", false},
      {asqtad_profile(), 4, 450, 38.0, 0, "", false},
  };
  // "For still larger volumes, when we must put part of the problem in external DDR DRAM, the
  // performance figures fall to the range of 30% of peak."
  for (const SolverProfile& p : {wilson_profile(), clover_profile(), asqtad_profile()}) {
    all.push_back({p, 6, 450, {}, 0, "in embedded memory", false});
    for (const int length : {8, 10})
      all.push_back({p, length, 450, 30.0, 5, "\"the range of 30%\"", false});
  }
  for (const double mhz : {360.0, 420.0, 500.0})
    all.push_back({wilson_profile(), 4, mhz, {}, 0, "", false});
  all.push_back({wilson_profile(), 2, 450, {}, 0, "", false});
  return all;
}

void kernel_table() {
  fmt::print(
      "\nKernels on 4x4x4x4 sites, cycles a site\n{:<28}{:>8}{:>8}{:>8}{:>8}{:>10}{:>10}{:>10}\n",
      "", "flop", "instr.", "loads", "stores", "lines", "cycles", "of peak");
  const qcdoc::Ppc440 processor(cube(4), {.clock = 450e6});
  const auto row = [&](const host::Kernel& k, bool to_send) {
    const qcdoc::ppc440::Scheduled s = processor.scheduled(k, 8, to_send);
    fmt::print("    {:<24}{:>8.0f}{:>8}{:>8}{:>8}{:>10.1f}{:>10.1f}{:>9.1f}%\n", k.name, k.flops,
               k.instructions(), k.loads(), k.stores, s.embedded_lines, s.cycles,
               50 * k.flops / s.cycles);
  };
  row(host::hopping_kernel(), false);
  row(host::pack_kernel(true), true);
  row(host::pack_kernel(false), true);
  row(host::clover_kernel(), false);
  row(host::staggered_kernel(false), false);
  row(host::staggered_kernel(true), false);
  row(host::linear_kernel(host::spinor_reals, 2, 1, 96), false);
  row(host::fifth_dimension_kernel(false), false);
}

}  // namespace

int bench_ppc440(const BenchOptions& /*options*/, const BenchSession& session) {
  BenchRows rows(session.results, &session.stop);
  fmt::print(
      "What conjugate gradients sustain on QCDOC, % of peak, beside [QCDOC2004] section 4; the "
      "model\n"
      "is calibrated by one of its numbers.\n\n{:<48}{:>10}{:>10}{:>10}{:>11}\n",
      "operator, sites a node, clock", "predicted", "paper", "residual", "halo wait");
  double clover = 0;
  for (const Figure& f : figures()) {
    const CgTimes t = times(f.solver, f.length, f.clock_mhz);
    const double percent = 100 * t.efficiency();
    if (f.solver.id == "clover_fused") clover = percent;
    const std::string what =
        fmt::format("{}, {}^4, {:.0f} MHz", f.solver.name, f.length, f.clock_mhz);
    fmt::print("{:<48}{:>10.1f}{:>10}{:>10}{:>10.1f}%  {}\n", what, percent, f.paper_text(),
               f.paper ? fmt::format("{:+.1f}", f.residual(percent)) : "",
               100 * t.halo_wait / t.total(), f.note);
    const std::string id =
        fmt::format("ppc440.{}_{}_{:.0f}MHz", f.solver.id, f.length, f.clock_mhz);
    rows.add(id + "_percent", percent, "%", f.paper);
    if (f.paper && !f.calibrates) rows.add(id + "_residual", f.residual(percent), "points");
    // Were all of the wait for halos hidden behind computing.
    if (f.solver.id == "asqtad" && f.length == 4) {
      const double hidden = 100 * t.peak / (t.total() - t.halo_wait);
      fmt::print("{:<48}{:>10.1f}{:>10}{:>10}\n", "  were its halos waited for behind other work",
                 hidden, "38.0", fmt::format("{:+.1f}", hidden - 38));
      rows.add(id + "_hidden_percent", hidden, "%", 38.0);
    }
  }
  // 4,096 nodes at $1,709,601 and "a 45% efficiency for our Dirac operator".
  fmt::print("\n{:<48}{:>10}{:>10}\n", "dollars a sustained Mflop/s, 4,096 nodes", "predicted",
             "paper");
  const struct { double mhz, paper; } prices[] = {{360, 1.29}, {420, 1.10}, {450, 1.03}};
  for (const auto& p : prices) {
    const double dollars = 1'709'601 / (4096 * 2 * p.mhz * clover / 100);
    fmt::print("{:<48}{:>10.2f}{:>10.2f}\n",
               fmt::format("clover at {:.0f} MHz, {:.1f} %; the paper's at 45 %", p.mhz, clover),
               dollars, p.paper);
    rows.add(fmt::format("ppc440.price_{:.0f}MHz_dollars", p.mhz), dollars, "$", p.paper);
  }
  kernel_table();
  return 0;
}

}  // namespace ht::cli
