// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/sparc64_report.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

#include "sim/bench/bench_rows.hpp"
#include "sim/bench/cg_times.hpp"
#include "sw/tofu/sparc64viiifx.hpp"

namespace ht::cli {
namespace {

using bench::CgTimes;
using bench::SolverProfile;
using host::LocalLattice;
using host::Overlap;

// T. Boku et al., "Multi-block/multi-core SSOR preconditioner for the QCD quark solver for K
// computer", LATTICE 2012, arXiv:1210.7398: 6^3 x 12 sites a node, single precision.
const LocalLattice published{6, 6, 6, 12};
constexpr double published_kernel = 50, published_solver = 26;

// What `bench tofu` and `compare` measure: a short put by QMP, the link's payload, a sum of doubles
// by gates on 16 nodes.
constexpr double put_ns = 670, link_gbs = 4.88, sum_us = 0.94;

struct Line {
  std::string id, what;
  double percent;
  std::optional<double> paper;
  std::string note;
};

void print(BenchRows& rows, const Line& l) {
  fmt::print("{:<60}{:>10.1f}{:>10}  {}\n", l.what, l.percent,
             l.paper ? fmt::format("{:.0f}", *l.paper) : "", l.note);
  rows.add("sparc64." + l.id + "_percent", l.percent, "%", l.paper);
}

double kernel_percent(const LocalLattice& lattice, Overlap overlap, int real_bytes) {
  const tofu::Sparc64Viiifx p(lattice, {.overlap = overlap});
  const auto sites = static_cast<std::int64_t>(host::sites_of(lattice) / 2);
  const double seconds = static_cast<double>(p.hopping_time(sites, real_bytes)) * 1e-12;
  return 100 * host::hopping_kernel().flops * static_cast<double>(sites) /
         p.peak_flops(real_bytes) / seconds;
}

double solver_percent(const LocalLattice& lattice, Overlap overlap, const SolverProfile& solver,
                      int real_bytes) {
  const tofu::Sparc64Viiifx p(lattice, {.overlap = overlap});
  const bench::CgNetwork network{put_ns, real_bytes / link_gbs, sum_us};
  return 100 * bench::cg_times(lattice, p, network, solver, real_bytes).efficiency();
}

}  // namespace

int bench_sparc64(const BenchOptions& /*options*/, const BenchSession& session) {
  BenchRows rows(session.results, &session.stop);
  fmt::print(
      "Lattice solvers on the SPARC64 VIIIfx, % of peak, beside arXiv:1210.7398 (6x6x6x12 sites a "
      "node,\nsingle precision: a clover BiCGStab preconditioned by blocks; here a conjugate "
      "gradient).\n\n{:<60}{:>10}{:>10}\n",
      "", "predicted", "published");
  for (const Overlap overlap : {Overlap::Full, Overlap::None}) {
    const bool full = overlap == Overlap::Full;
    const std::string how = full ? "devices at once" : "devices in turn",
                      id = full ? "" : "_in_turn";
    print(rows, {"kernel_single" + id, "hopping term, 6x6x6x12, single, " + how,
                 kernel_percent(published, overlap, 4), published_kernel,
                 full ? "\"exceeds 50% efficiency\"" : ""});
    print(rows, {"wilson_single" + id,
                 "Wilson CG, 6x6x6x12, single, " + how,
                 solver_percent(published, overlap, bench::wilson_profile(), 4),
                 {},
                 ""});
    print(rows, {"clover_single" + id, "clover CG, 6x6x6x12, single, " + how,
                 solver_percent(published, overlap, bench::clover_profile(), 4), published_solver,
                 full ? "\"~26% sustained\"" : ""});
  }
  for (const LocalLattice& lattice :
       {LocalLattice{4, 4, 4, 4}, LocalLattice{8, 8, 8, 8}, LocalLattice{16, 16, 16, 32}}) {
    const std::string shape =
        fmt::format("{}x{}x{}x{}", lattice[0], lattice[1], lattice[2], lattice[3]);
    print(rows, {"wilson_" + shape,
                 "Wilson CG, " + shape + ", double, devices at once",
                 solver_percent(lattice, Overlap::Full, bench::wilson_profile(), 8),
                 {},
                 tofu::Sparc64Viiifx(lattice).name()});
  }
  return 0;
}

}  // namespace ht::cli
