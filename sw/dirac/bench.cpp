// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/bench.hpp"

#include <algorithm>
#include <chrono>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/host/errors.hpp"

namespace ht::dirac {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

template <class T>
double gflops(const Geometry& geometry, const LocalLinks<double>& links, Isa isa, double seconds,
              const std::function<void(double)>& progress) {
  constexpr int kSweeps = 8;
  const LocalLinks<T> fermion = fermion_links<T>(geometry, links, {1, 1, 1, -1});
  FreeWork free;
  PhaseClock clock(free);
  HoppingTerm<T> hop(geometry, fermion, clock, {Targets::Even, Targets::Odd}, isa);
  SpinorField<T> even(static_cast<std::size_t>(geometry.parity_count(0)));
  SpinorField<T> odd(static_cast<std::size_t>(geometry.parity_count(1)));
  for (std::size_t i = 0; i < even.size(); ++i) even[i].at(0, 0, 0) = static_cast<T>(i % 7);

  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      // The same source every time, so that numbers neither grow nor vanish.
      hop.apply(Targets::Odd, 1, odd, even);
    }
    const double flops = 1320.0 * static_cast<double>(odd.size()) * kSweeps;
    best = std::max(best, flops / seconds_since(start) * 1e-9);
    if (progress) progress(std::min(seconds, seconds_since(begin)));
  } while (seconds_since(begin) < seconds);
  return best;
}

}  // namespace

std::vector<HoppingSpeed> bench_dirac(const Coordinates& lattice, double seconds,
                                      const std::function<void(double)>& progress) {
  const std::array<int, 4> one{1, 1, 1, 1}, zero{};
  const Geometry geometry(lattice, one, zero);
  if (!geometry.bipartite()) {
    throw UsageError("bench dirac: lattice " + to_string(lattice) + " needs even extents");
  }
  JobSpec spec;
  spec.lattice = lattice;
  spec.field = FieldKind::Hot;
  const LocalLinks<double> links = local_links(geometry, spec);
  const std::string best = has_avx2() ? "avx2" : "baseline";
  std::vector<HoppingSpeed> speeds;
  const auto measure = [&]<class T>(const char* id, Isa isa, const std::string& kernels, T) {
    const double before = seconds * static_cast<double>(speeds.size());
    const auto told = [&](double s) {
      if (progress) progress(before + s);
    };
    speeds.push_back({id, gflops<T>(geometry, links, isa, seconds, told), kernels});
  };
  measure("dirac.hop_double_gflops", Isa::Auto, best, 0.0);
  measure("dirac.hop_single_gflops", Isa::Auto, best, 0.0F);
  measure("dirac.hop_double_baseline_gflops", Isa::Baseline, "baseline", 0.0);
  measure("dirac.hop_single_baseline_gflops", Isa::Baseline, "baseline", 0.0F);
  return speeds;
}

}  // namespace ht::dirac
