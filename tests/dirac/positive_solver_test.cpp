// SPDX-License-Identifier: Apache-2.0
// Solvers of hermitian positive systems: what they leave is measured by the matrix itself, and
// iterations against those of plain conjugate gradient.
#include "sw/dirac/positive_solver.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sw/dirac/operator/clover.hpp"
#include "sw/dirac/operator/domain_wall.hpp"
#include "sw/dirac/operator/staggered.hpp"
#include "sw/dirac/reduce.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"

using namespace ht;
using namespace ht::test;
using dirac::ColourField;
using dirac::ColourVector;
using dirac::FieldKind;
using dirac::SpinorField;
using dirac::Targets;

namespace {

constexpr std::array<double, 4> kAntiperiodic{1, 1, 1, -1};

/// The matrices of these tests on one node's sites, in one precision.
template <class T>
struct Systems : GridNode {
  explicit Systems(const GlobalGauge& gauge) : GridNode(gauge) {}
  dirac::Reducer reduce{dirac::SumKind::Reproducible, clock};
  dirac::Linear<T> spinors{clock, reduce};
  dirac::Linear<T, ColourVector> colours{clock, reduce};
  dirac::LinkShift shift{geometry};
  dirac::StaggeredHop<T> asqtad_hop{shift, dirac::asqtad_links(shift, links, 0.9), kAntiperiodic,
                                    clock};
  dirac::StaggeredMatrix<T> asqtad{asqtad_hop, colours, Targets::Even, 0.05};
  dirac::LocalLinks<T> dressed = dirac::fermion_links<T>(geometry, links, kAntiperiodic);
  dirac::HoppingTerm<T> hop{geometry, dressed, clock, {Targets::Even, Targets::Odd}};
  dirac::CloverTerm<T> clover_term{shift, links, 0.12, 1.2, clock};
  dirac::PreconditionedMatrix<T> clover{hop, clover_term, spinors, Targets::Odd, 0.5};
  dirac::NormalMatrix<T> clover_normal{clover};

  /// Numbers that depend on the site alone.
  template <class Field>
  Field source(int parity) const {
    Field out(static_cast<std::size_t>(geometry.parity_count(parity)));
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto at = static_cast<std::uint32_t>(
          geometry.global_index(geometry.parity_begin(parity) + static_cast<int>(i)));
      auto* reals = reinterpret_cast<T*>(&out[i]);
      for (std::size_t k = 0; k < sizeof(out[i]) / sizeof(T); ++k) {
        const std::uint32_t mixed = (at * 24U + static_cast<std::uint32_t>(k)) * 2654435761U;
        reals[k] = static_cast<T>(static_cast<double>(mixed >> 8) / 0x1p23 - 1);
      }
    }
    return out;
  }
};

/// |b - (A + shift) x| / |b|
template <class T, template <class> class Site>
double left_over(dirac::PositiveMatrix<T, Site>& a, dirac::Linear<T, Site>& linear,
                 const dirac::FermionField<T, Site>& x, const dirac::FermionField<T, Site>& b,
                 double shift = 0) {
  dirac::FermionField<T, Site> r(x.size());
  a.apply(r, x);
  linear.add(r, shift, x);
  return std::sqrt(linear.scale_add_norm2(r, 1, b, -1) / linear.norm2(b));
}

const dirac::SolverLimits kLimits{.tolerance = 1e-10, .max_iterations = 3000, .progress = {}};

template <class Field>
std::vector<std::byte> by_site(const dirac::Geometry& g, int parity, const Field& field) {
  const std::size_t each = sizeof(field[0]);
  std::vector<std::byte> out(static_cast<std::size_t>(g.global_volume()) * each);
  for (std::size_t i = 0; i < field.size(); ++i) {
    const auto at =
        static_cast<std::size_t>(g.global_index(g.parity_begin(parity) + static_cast<int>(i)));
    std::memcpy(&out[at * each], &field[i], each);
  }
  return out;
}

void merge(std::vector<std::byte>& whole, const std::vector<std::byte>& part) {
  whole.resize(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) whole[i] |= part[i];
}

}  // namespace

TEST_CASE("every shifted system is solved, in the smallest one's iterations", "[solver]") {
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 31, {4, 4, 4, 6});
  for (const std::vector<double>& shifts :
       {std::vector<double>{0, 0.01, 0.3, 4}, {2, 0.05, 0.05}, {0.1}}) {
    CAPTURE(shifts);
    on_grid({1, 1, 1, 2}, [&] {
      Systems<double> node(gauge);
      const auto check = [&]<template <class> class Site>(
                             dirac::PositiveMatrix<double, Site>& a,
                             dirac::Linear<double, Site>& linear,
                             const dirac::FermionField<double, Site>& b) {
        std::vector<dirac::FermionField<double, Site>> x;
        const auto all = dirac::solve_multishift(a, linear, x, b, shifts, kLimits);
        REQUIRE(all.converged);
        REQUIRE(x.size() == shifts.size());
        for (std::size_t i = 0; i < shifts.size(); ++i)
          CHECK(left_over(a, linear, x[i], b, shifts[i]) < 2e-10);
        if (*std::min_element(shifts.begin(), shifts.end()) == 0) {
          dirac::FermionField<double, Site> alone;
          const auto one = dirac::solve_positive(a, linear, alone, b, kLimits);
          CHECK(one.iterations == all.iterations);
          CHECK(one.history == all.history);
        }
      };
      check(node.asqtad, node.colours, node.source<ColourField<double>>(0));
      check(node.clover_normal, node.spinors, node.source<SpinorField<double>>(1));
    });
  }
  on_grid({1}, [&] {
    Systems<double> node(gauge);
    std::vector<ColourField<double>> x;
    const auto b = node.source<ColourField<double>>(0);
    CHECK_THROWS_AS(dirac::solve_multishift(node.asqtad, node.colours, x, b, {-1.0}, kLimits),
                    UsageError);
    CHECK(dirac::solve_multishift(node.asqtad, node.colours, x, b, {}, kLimits).converged);
  });
}

TEST_CASE("mixed precision reaches double's residual with single's iterations", "[solver]") {
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 32, {4, 4, 4, 6});
  on_grid({1, 1, 1, 2}, [&] {
    Systems<double> node(gauge);
    Systems<float> single(gauge);
    const auto check = [&](auto& a, auto& linear, auto& a1, auto& linear1, const auto& b) {
      for (const double tolerance : {1e-4, 1e-8, 1e-13}) {
        dirac::SolverLimits limits = kLimits;
        limits.tolerance = tolerance;
        std::decay_t<decltype(b)> x, plain;
        const auto mixed = dirac::solve_mixed(a, linear, a1, linear1, x, b, limits);
        const auto alone = dirac::solve_positive(a, linear, plain, b, limits);
        CAPTURE(tolerance, mixed.updates, mixed.solver.iterations, alone.iterations);
        REQUIRE(mixed.solver.converged);
        // The last residual is a true one.
        CHECK(left_over(a, linear, x, b) <= tolerance * (1 + 1e-6));
        CHECK(mixed.updates >= 1);
        CHECK(mixed.updates <= 3 - 2 * std::log10(tolerance));
        CHECK(mixed.solver.iterations <= 1.3 * alone.iterations + 2);
      }
      dirac::SolverLimits hopeless = kLimits;
      hopeless.tolerance = 1e-18;
      std::decay_t<decltype(b)> x;
      const auto stuck = dirac::solve_mixed(a, linear, a1, linear1, x, b, hopeless);
      CHECK_FALSE(stuck.solver.converged);
    };
    check(node.asqtad, node.colours, single.asqtad, single.colours,
          node.source<ColourField<double>>(0));
    check(node.clover_normal, node.spinors, single.clover_normal, single.spinors,
          node.source<SpinorField<double>>(1));
  });
}

TEST_CASE("solutions have the same bits on every grid", "[solver]") {
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 33, {6, 6, 4, 6});
  std::vector<std::byte> want_colours, want_spinors;
  std::vector<double> want_history;
  for (const std::vector<int>& grid : {std::vector{1}, {2, 2}, {1, 2, 1, 2}, {2, 1, 1, 2}}) {
    CAPTURE(grid);
    std::vector<std::byte> colours, spinors;
    std::vector<double> history;
    on_grid(grid, [&] {
      Systems<double> node(gauge);
      ColourField<double> chi;
      history = dirac::solve_positive(node.asqtad, node.colours, chi,
                                      node.source<ColourField<double>>(0), kLimits)
                    .history;
      merge(colours, by_site(node.geometry, 0, chi));
      SpinorField<double> psi;
      dirac::solve_positive(node.clover_normal, node.spinors, psi,
                            node.source<SpinorField<double>>(1), kLimits);
      merge(spinors, by_site(node.geometry, 1, psi));
    });
    if (want_colours.empty()) {
      want_colours = colours;
      want_spinors = spinors;
      want_history = history;
    }
    CHECK((colours == want_colours));
    CHECK((spinors == want_spinors));
    CHECK(history == want_history);
  }
}

TEST_CASE("even-odd solves leave the whole system's residual small", "[solver]") {
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 34, {4, 4, 4, 6});
  on_grid({1, 1, 1, 2}, [&] {
    Systems<double> node(gauge);
    {
      const auto even = node.source<ColourField<double>>(0),
                 odd = node.source<ColourField<double>>(1);
      ColourField<double> x;
      REQUIRE(dirac::solve_positive(node.asqtad, node.colours, x, node.asqtad.prepare(even, odd),
                                    kLimits)
                  .converged);
      const auto other = node.asqtad.reconstruct(x, odd);
      const auto [above, below] = node.asqtad.residual({&even, &odd}, {&x, &other});
      CHECK(std::sqrt(above / below) < 1e-8);
    }
    const auto check = [&](dirac::PreconditionedMatrix<double>& m,
                           const dirac::WholeField<double>& b) {
      dirac::WholeField<double> x;
      REQUIRE(dirac::solve_cg(m, node.spinors, x.half[1], m.prepare(b), kLimits).converged);
      m.reconstruct(x, b);
      const auto [above, below] = m.residual(b, x);
      CHECK(std::sqrt(above / below) < 1e-8);
    };
    check(node.clover,
          {{node.source<SpinorField<double>>(0), node.source<SpinorField<double>>(1)}});
    constexpr int kLength = 4;
    dirac::HoppingTerm<double> hop(node.geometry, node.dressed, node.clock,
                                   {Targets::Even, Targets::Odd}, dirac::Isa::Auto, kLength);
    dirac::DomainWallTerm<double> wall(node.geometry, kLength, 1.8, 0.1, node.clock);
    dirac::PreconditionedMatrix<double> m(hop, wall, node.spinors, Targets::Odd, 0.5);
    dirac::WholeField<double> b;
    for (int parity = 0; parity < 2; ++parity) {
      const auto one = node.source<SpinorField<double>>(parity);
      for (const auto& spinor : one) b.half[parity].insert(b.half[parity].end(), kLength, spinor);
    }
    check(m, b);
  });
}
