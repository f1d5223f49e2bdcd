// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/bench.hpp"

#include <algorithm>
#include <chrono>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/operator/clover.hpp"
#include "sw/dirac/operator/domain_wall.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/staggered.hpp"
#include "sw/dirac/reduce.hpp"
#include "sw/host/errors.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace ht::dirac {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Gflop/s of `sweep`, which does `flops`; the best of its repetitions within `seconds`.
double best_of(double flops, double seconds, const std::function<void(double)>& progress,
               const std::function<void()>& sweep) {
  constexpr int kSweeps = 8;
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    for (int i = 0; i < kSweeps; ++i) sweep();
    best = std::max(best, flops * kSweeps / seconds_since(start) * 1e-9);
    if (progress) progress(std::min(seconds, seconds_since(begin)));
  } while (seconds_since(begin) < seconds);
  return best;
}

/// The operators in one precision.
template <class T>
class Bench {
 public:
  Bench(const Geometry& geometry, const LocalLinks<double>& links)
      : geometry_(geometry),
        gauge_(links),
        links_(fermion_links<T>(geometry, links, kBoundary)),
        even_(static_cast<std::size_t>(geometry.parity_count(0))),
        odd_(static_cast<std::size_t>(geometry.parity_count(1))) {
    for (std::size_t i = 0; i < even_.size(); ++i) even_[i].at(0, 0, 0) = static_cast<T>(i % 7);
    for (std::size_t i = 0; i < odd_.size(); ++i) odd_[i].at(2, 1, 1) = static_cast<T>(i % 5);
  }

  double hop(Isa isa, double seconds, const std::function<void(double)>& progress) {
    HoppingTerm<T> hop(geometry_, links_, clock_, {Targets::Even, Targets::Odd}, isa);
    return best_of(1320 * sites(), seconds, progress,
                   [&] { hop.apply(Targets::Odd, 1, odd_, even_); });
  }

  double clover(double seconds, const std::function<void(double)>& progress) {
    CloverTerm<T> term(shift_, gauge_, 0.11, 1, clock_);
    // Two hops, A and its inverse, and what subtracts one from the other.
    return preconditioned(term, 2 * 1320 + 2 * 504 + 48, odd_, seconds, progress);
  }

  double domain_wall(double seconds, const std::function<void(double)>& progress) {
    DomainWallTerm<T> term(geometry_, kLength, 1.8, 0.1, clock_);
    SpinorField<T> in;
    for (const Spinor<T>& spinor : odd_) in.insert(in.end(), kLength, spinor);
    return preconditioned(term, kLength * (2.0 * 1320 + 48 + 96 + 48), in, seconds, progress);
  }

  double staggered(const StaggeredLinks& links, double seconds,
                   const std::function<void(double)>& progress) {
    StaggeredHop<T> hop(shift_, links, kBoundary, clock_);
    ColourField<T> in(even_.size()), out(odd_.size());
    for (std::size_t i = 0; i < in.size(); ++i) in[i].c[0][0] = static_cast<T>(i % 7);
    return best_of(hop.flops() * sites(), seconds, progress,
                   [&] { hop.apply(Targets::Odd, out, in); });
  }
  double one_link_hop(double seconds, const std::function<void(double)>& progress) {
    return staggered(one_link(gauge_), seconds, progress);
  }
  double asqtad_hop(double seconds, const std::function<void(double)>& progress) {
    return staggered(asqtad_links(shift_, gauge_, 0.9), seconds, progress);
  }

 private:
  static constexpr std::array<double, 4> kBoundary{1, 1, 1, -1};
  static constexpr int kLength = 8;

  double sites() const { return static_cast<double>(odd_.size()); }

  double preconditioned(DiagonalTerm<T>& term, double flops, const SpinorField<T>& in,
                        double seconds, const std::function<void(double)>& progress) {
    Reducer reduce(SumKind::Fast, clock_);
    Linear<T> linear(clock_, reduce);
    HoppingTerm<T> hop(geometry_, links_, clock_, {Targets::Even, Targets::Odd}, Isa::Auto,
                       term.fields());
    PreconditionedMatrix<T> m(hop, term, linear, Targets::Odd, 0.5);
    SpinorField<T> out(m.size());
    return best_of(flops * sites(), seconds, progress, [&] { m.apply(out, in, false); });
  }

  const Geometry& geometry_;
  const LocalLinks<double>& gauge_;
  LocalLinks<T> links_;
  FreeWork free_;
  PhaseClock clock_{free_};
  LinkShift shift_{geometry_};
  SpinorField<T> even_, odd_;
};

}  // namespace

double memory_bandwidth(double seconds) {
  constexpr std::size_t vectors = std::size_t{2} << 20;  // 64 MB
  struct Four {
    Vec4d v;
  };
  std::vector<Four> a(vectors), b(vectors, Four{{1, 2, 3, 4}}), c(vectors, Four{{4, 3, 2, 1}});
  double best = 0;
  const auto begin = Clock::now();
  do {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < vectors; ++i) a[i].v = b[i].v + 0.5 * c[i].v;
    best = std::max(best, 4.0 * sizeof(Vec4d) * vectors / seconds_since(start) * 1e-9);
  } while (seconds_since(begin) < seconds);
  return best;
}

std::vector<OperatorSpeed> bench_dirac(const Coordinates& lattice, double seconds,
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
  Bench<double> in_double(geometry, links);
  Bench<float> in_single(geometry, links);
  const std::string best(to_string(widest_isa()));
  std::vector<OperatorSpeed> speeds;
  const auto measure = [&](const std::string& id, const std::string& kernels, double reals_per_flop,
                           std::size_t real_bytes, auto&& speed) {
    const double before = seconds * static_cast<double>(speeds.size());
    const std::function<void(double)> told = [&](double s) {
      if (progress) progress(before + s);
    };
    speeds.push_back({"dirac." + id + "_gflops", speed(told), kernels,
                      reals_per_flop * static_cast<double>(real_bytes)});
  };
  const auto both = [&](const std::string& name, const std::string& kernels,
                        const std::string& suffix, double reals_per_flop, auto&& speed) {
    measure(name + "_double" + suffix, kernels, reals_per_flop, sizeof(double),
            [&](const auto& told) { return speed(in_double, told); });
    measure(name + "_single" + suffix, kernels, reals_per_flop, sizeof(float),
            [&](const auto& told) { return speed(in_single, told); });
  };
  // Reals a site and flop a site. A hop: eight links, a spinor read, one written.
  constexpr double hop = 8 * 18 + 3 * 24, matrix = 2 * hop + 2 * (72 + 3 * 24) + 4 * 24;
  constexpr double wall =
      2 * (8 * 18 / 8.0 + 3 * 24) + 2 * 3 * 24 + 4 * 24;  // links serve 8 fields
  both("hop", best, "", hop / 1320,
       [&](auto& b, const auto& told) { return b.hop(Isa::Auto, seconds, told); });
  both("hop", "baseline", "_baseline", hop / 1320,
       [&](auto& b, const auto& told) { return b.hop(Isa::Baseline, seconds, told); });
  both("clover", best, "", matrix / (2 * 1320 + 2 * 504 + 48),
       [&](auto& b, const auto& told) { return b.clover(seconds, told); });
  both("domain_wall", best, "", wall / (2 * 1320 + 48 + 96 + 48),
       [&](auto& b, const auto& told) { return b.domain_wall(seconds, told); });
  both("staggered", best, "", (8 * 18 + 3 * 6) / 570.0,
       [&](auto& b, const auto& told) { return b.one_link_hop(seconds, told); });
  both("asqtad", best, "", (16 * 18 + 3 * 6) / 1146.0,
       [&](auto& b, const auto& told) { return b.asqtad_hop(seconds, told); });
  return speeds;
}

}  // namespace ht::dirac
