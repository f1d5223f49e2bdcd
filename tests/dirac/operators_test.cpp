// SPDX-License-Identifier: Apache-2.0
// Clover, staggered, Asqtad and domain-wall operators against textbooks, against the free theory,
// and the same bits on any grid.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <map>
#include <numbers>
#include <random>

#include "sw/dirac/operator/clover.hpp"
#include "sw/dirac/operator/domain_wall.hpp"
#include "sw/dirac/operator/staggered.hpp"
#include "sw/dirac/positive_solver.hpp"
#include "sw/dirac/reduce.hpp"
#include "sw/dirac/solver.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"
#include "tests/dirac/textbook_operators.hpp"

using namespace ht;
using namespace ht::test;
using dirac::ColourField;
using dirac::ColourVector;
using dirac::FieldKind;
using dirac::Geometry;
using dirac::SpinorField;
using dirac::Targets;

namespace ht::test {
namespace {

double distance(const TextColourField& a, const TextColourField& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t c = 0; c < 3; ++c) worst = std::max(worst, std::abs(a[i][c] - b[i][c]));
  }
  return worst;
}

template <class T>
void put(ColourVector<T>& to, const TextColour& from) {
  for (std::size_t c = 0; c < 3; ++c) {
    to.c[c][0] = static_cast<T>(from[c].real());
    to.c[c][1] = static_cast<T>(from[c].imag());
  }
}

template <class T>
TextColour get(const ColourVector<T>& from) {
  TextColour out;
  for (std::size_t c = 0; c < 3; ++c) out[c] = {from.c[c][0], from.c[c][1]};
  return out;
}

}  // namespace
}  // namespace ht::test

namespace {

constexpr std::array<double, 4> kPeriodic{1, 1, 1, 1}, kAntiperiodic{1, 1, 1, -1},
    kUneven{0.5, -1, 0, 2};

struct Numbers {
  explicit Numbers(unsigned seed) : random(seed) {}
  Complex operator()() { return {uniform(random), uniform(random)}; }
  std::mt19937_64 random;
  std::uniform_real_distribution<double> uniform{-1, 1};
};

TextField random_spinors(std::int64_t volume, unsigned seed) {
  Numbers number(seed);
  TextField field(static_cast<std::size_t>(volume));
  for (TextSpinor& s : field) {
    for (auto& spin : s) {
      for (Complex& c : spin) c = number();
    }
  }
  return field;
}

TextColourField random_colours(std::int64_t volume, unsigned seed) {
  Numbers number(seed);
  TextColourField field(static_cast<std::size_t>(volume));
  for (TextColour& v : field) {
    for (Complex& c : v) c = number();
  }
  return field;
}

/// A node's sites of a parity out of a whole field, and back.
template <class Field, class Text>
Field taken(const Geometry& g, int parity, const Text& whole) {
  Field out(static_cast<std::size_t>(g.parity_count(parity)));
  for (std::size_t i = 0; i < out.size(); ++i) {
    const int site = g.parity_begin(parity) + static_cast<int>(i);
    put(out[i], whole[static_cast<std::size_t>(g.global_index(site))]);
  }
  return out;
}

template <class Field, class Text>
void given(const Geometry& g, int parity, const Field& field, Text& whole) {
  for (std::size_t i = 0; i < field.size(); ++i) {
    const int site = g.parity_begin(parity) + static_cast<int>(i);
    whole[static_cast<std::size_t>(g.global_index(site))] = get(field[i]);
  }
}

/// What a node of these tests has.
template <class T>
struct Workbench : GridNode {
  using GridNode::GridNode;
  dirac::Reducer reduce{dirac::SumKind::Reproducible, clock};
  dirac::Linear<T> spinors{clock, reduce};
  dirac::Linear<T, ColourVector> colours{clock, reduce};
  dirac::LinkShift shift{geometry};
};

dirac::StaggeredLinks staggered_links(dirac::LinkShift& shift,
                                      const dirac::LocalLinks<double>& links, TextAction action,
                                      double u0) {
  return action == TextAction::OneLink ? dirac::one_link(links)
                                       : dirac::asqtad_links(shift, links, u0);
}

template <class T>
TextColourField grid_staggered(const std::vector<int>& grid, const GlobalGauge& gauge,
                               const std::array<double, 4>& boundary, TextAction action, double u0,
                               const TextColourField& chi) {
  TextColourField out(chi.size());
  on_grid(grid, [&] {
    Workbench<T> node(gauge);
    dirac::StaggeredHop<T> hop(node.shift, staggered_links(node.shift, node.links, action, u0),
                               boundary, node.clock);
    for (int parity = 0; parity < 2; ++parity) {
      const auto in = taken<ColourField<T>>(node.geometry, 1 - parity, chi);
      ColourField<T> result(static_cast<std::size_t>(node.geometry.parity_count(parity)));
      const Targets targets = parity == 0 ? Targets::Even : Targets::Odd;
      hop.apply(targets, result, in);
      hop.apply(targets, result, in);  // buffers and messages must be good for another turn
      given(node.geometry, parity, result, out);
    }
  });
  return out;
}

/// A on all sites, or A^-1.
template <class T>
TextField grid_clover(const std::vector<int>& grid, const GlobalGauge& gauge, double kappa,
                      double csw, bool inverse, const TextField& psi) {
  TextField out(psi.size());
  on_grid(grid, [&] {
    Workbench<T> node(gauge);
    dirac::CloverTerm<T> clover(node.shift, node.links, kappa, csw, node.clock);
    for (int parity = 0; parity < 2; ++parity) {
      auto field = taken<SpinorField<T>>(node.geometry, parity, psi);
      inverse ? clover.apply_inverse(parity, field, field, false)
              : clover.apply(parity, field, field, false);
      given(node.geometry, parity, field, out);
    }
  });
  return out;
}

struct Case {
  Coordinates lattice;
  std::vector<int> grid;
};
const std::vector<Case> kCases = {{{4, 4, 4, 6}, {1}},
                                  {{4, 4, 4, 6}, {1, 2, 1, 2}},
                                  {{6, 2, 4, 6}, {2, 1, 1, 2}},
                                  {{6, 6, 2, 4}, {2, 2}},
                                  {{2, 4, 4, 12}, {1, 1, 1, 4}}};

}  // namespace

TEST_CASE("the clover term is the textbook's, on any grid", "[operators]") {
  for (const Case& c : kCases) {
    CAPTURE(dirac::to_string(c.lattice), c.grid);
    const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 5, c.lattice);
    const TextField psi = random_spinors(dirac::volume_of(c.lattice), 6);
    const TextField want = textbook_clover(gauge, 0.12, 1.7, psi);
    CHECK(distance(grid_clover<double>(c.grid, gauge, 0.12, 1.7, false, psi), want) < 2e-14);
    CHECK(distance(grid_clover<float>(c.grid, gauge, 0.12, 1.7, false, psi), want) < 1e-5);
    CHECK(distance(grid_clover<double>(c.grid, gauge, 0.12, 1.7, true, want), psi) < 1e-12);
  }
}

TEST_CASE("the clover term takes a constant field's shift off the lowest Landau level",
          "[operators]") {
  // Links of constant abelian field strength F in the xy plane, T = diag(1, -1, 0): the squared
  // massless matrix has an eigenvalue that is 0 in the continuum (spin against the field), where
  // the Wilson term alone leaves (F/2)^2. With c_sw = 1 it is of higher order, with the other sign
  // four times as large.
  const Coordinates lattice{8, 8, 2, 2};
  GlobalGauge gauge = dirac::generate_gauge(FieldKind::Unit, 1, lattice);
  const double strength = 2 * std::numbers::pi / 64;
  for (std::int64_t site = 0; site < dirac::volume_of(lattice); ++site) {
    const Coordinates x = dirac::coordinates_of(site, lattice);
    for (int mu = 0; mu < 2; ++mu) {
      double angle = mu == 1 ? strength * x[0] : 0;
      if (mu == 0 && x[0] == lattice[0] - 1) angle = -strength * lattice[0] * x[1];
      auto& u = gauge.links[static_cast<std::size_t>(site)][static_cast<std::size_t>(mu)];
      u = dirac::unit_link();
      for (std::size_t c = 0; c < 2; ++c) {
        u.e[c][c][0] = std::cos(angle);
        u.e[c][c][1] = c == 0 ? std::sin(angle) : -std::sin(angle);
      }
    }
  }
  // The smallest eigenvalue of M^dagger M at 4 + m = 4 by inverse iteration in the charged colours.
  const auto lowest = [&](double csw) {
    double value = 0;
    on_grid({2}, [&] {
      Workbench<double> node(gauge);
      const auto links = dirac::fermion_links<double>(node.geometry, node.links, kPeriodic);
      dirac::HoppingTerm<double> hop(node.geometry, links, node.clock,
                                     {Targets::Even, Targets::Odd});
      dirac::CloverTerm<double> clover(node.shift, node.links, 1 / 8.02, csw, node.clock);
      dirac::PreconditionedMatrix<double> m(hop, clover, node.spinors, Targets::Odd, 0.5);
      dirac::NormalMatrix<double> normal(m);
      TextField start = random_spinors(dirac::volume_of(lattice), 3);
      for (TextSpinor& s : start) {
        for (auto& spin : s) spin[2] = 0;
      }
      auto v = taken<SpinorField<double>>(node.geometry, 1, start);
      double norm = node.spinors.norm2(v);
      for (int turn = 0; turn < 12; ++turn) {
        SpinorField<double> x;
        dirac::solve_positive(normal, node.spinors, x, v,
                              {.tolerance = 1e-8, .max_iterations = 4000, .progress = {}});
        const double grown = node.spinors.norm2(x);
        value = std::sqrt(norm / grown);
        for (std::size_t i = 0; i < v.size(); ++i) {
          for (int c = 0; c < 3; ++c) {
            for (int h = 0; h < 2; ++h) v[i].c[c][h] = x[i].c[c][h] / std::sqrt(grown);
          }
        }
        norm = 1;
      }
    });
    return value;
  };
  // Of the complement: M' = A - D A^-1 D / 4 halves nothing that is small to first order: m' = 2 m.
  const double wilson = lowest(0), improved = lowest(1), wrong = lowest(-1);
  CAPTURE(wilson, improved, wrong, strength);
  CHECK(improved < 0.1 * wilson);
  CHECK(wrong > 2.5 * wilson);
}

TEST_CASE("the staggered and Asqtad hops are the textbook's, on any grid", "[operators]") {
  for (const Case& c : kCases) {
    const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 8, c.lattice);
    const TextColourField chi = random_colours(dirac::volume_of(c.lattice), 2);
    for (const TextAction action : {TextAction::OneLink, TextAction::Asqtad}) {
      if (action == TextAction::Asqtad && c.lattice[1] == 4 && c.grid.size() == 4 && c.grid[1] == 2)
        continue;  // two sites a node: refused, below
      for (const auto& boundary : {kAntiperiodic, kUneven}) {
        CAPTURE(dirac::to_string(c.lattice), c.grid, static_cast<int>(action), boundary[0]);
        const TextColourField want = textbook_staggered(gauge, boundary, action, 0.87, chi);
        CHECK(distance(grid_staggered<double>(c.grid, gauge, boundary, action, 0.87, chi), want) <
              1e-13);
        CHECK(distance(grid_staggered<float>(c.grid, gauge, boundary, action, 0.87, chi), want) <
              1e-4);
      }
    }
  }
}

TEST_CASE("free staggered fermions have the energies of their action", "[operators]") {
  // A = 4 m^2 + 4 sum_mu f(p_mu)^2, f = sin p, or with Asqtad 9/8 sin p - 1/24 sin 3p.
  const Coordinates lattice{4, 6, 4, 12};
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Unit, 1, lattice);
  const double mass = 0.3;
  for (const TextAction action : {TextAction::OneLink, TextAction::Asqtad}) {
    for (const Coordinates& n : {Coordinates{0, 0, 0, 0}, {0, 1, 1, 2}, {1, 2, 3, 5}}) {
      TextColourField wave(gauge.links.size());
      double want = 4 * mass * mass;
      std::array<double, 4> p;
      for (std::size_t mu = 0; mu < 4; ++mu) {
        p[mu] = 2 * std::numbers::pi * (n[mu] + (mu == 3 ? 0.5 : 0)) / lattice[mu];
        const double f = action == TextAction::OneLink
                             ? std::sin(p[mu])
                             : 9.0 / 8 * std::sin(p[mu]) - std::sin(3 * p[mu]) / 24;
        want += 4 * f * f;
      }
      for (std::size_t site = 0; site < wave.size(); ++site) {
        const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), lattice);
        double phase = 0;
        for (std::size_t mu = 0; mu < 4; ++mu) phase += p[mu] * x[mu];
        wave[site] = {std::polar(1.0, phase), std::polar(0.5, phase + 1), 0};
      }
      TextColourField got(wave.size());
      on_grid({1, 2, 1, 2}, [&] {
        Workbench<double> node(gauge);
        dirac::StaggeredHop<double> hop(node.shift,
                                        staggered_links(node.shift, node.links, action, 1),
                                        kAntiperiodic, node.clock);
        for (int parity = 0; parity < 2; ++parity) {
          dirac::StaggeredMatrix<double> a(hop, node.colours,
                                           parity == 0 ? Targets::Even : Targets::Odd, mass);
          const auto in = taken<ColourField<double>>(node.geometry, parity, wave);
          ColourField<double> out(in.size());
          a.apply(out, in);
          given(node.geometry, parity, out, got);
        }
      });
      for (TextColour& v : wave) {
        for (Complex& c : v) c *= want;
      }
      CHECK(distance(got, wave) < 1e-12);
    }
  }
}

TEST_CASE("Asqtad's links keep the field's symmetries", "[operators]") {
  // A gauge transformation moves every matrix as it moves a link of that length; u0 counts lengths.
  const Coordinates lattice{4, 4, 4, 4};
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 13, lattice);
  const GlobalGauge turns =
      dirac::generate_gauge(FieldKind::Hot, 14, lattice);  // a matrix a site: its x link
  GlobalGauge turned = gauge;
  const auto turn_at = [&](const Coordinates& x) -> const dirac::Link& { return turns.at(x)[0]; };
  for (std::int64_t site = 0; site < dirac::volume_of(lattice); ++site) {
    const Coordinates x = dirac::coordinates_of(site, lattice);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      dirac::Link& u = turned.links[static_cast<std::size_t>(site)][mu];
      u = dirac::multiply(dirac::multiply(turn_at(x), u),
                          dirac::adjoint(turn_at(walk(gauge, x, {mu, 1}))));
    }
  }
  const TextColourField chi = random_colours(dirac::volume_of(lattice), 4);
  const auto apply_turn = [&](const TextColourField& field) {
    TextColourField out(field.size());
    for (std::size_t site = 0; site < field.size(); ++site) {
      const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), lattice);
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j)
          out[site][i] += link_element(turn_at(x), i, j) * field[site][j];
      }
    }
    return out;
  };
  const auto plain = grid_staggered<double>({1}, gauge, kPeriodic, TextAction::Asqtad, 0.8, chi);
  const auto moved =
      grid_staggered<double>({1}, turned, kPeriodic, TextAction::Asqtad, 0.8, apply_turn(chi));
  CHECK(distance(moved, apply_turn(plain)) < 1e-12);
}

TEST_CASE("the domain-wall matrix is the textbook's, on any grid", "[operators]") {
  for (const Case& c : kCases) {
    for (const int length : {1, 2, 5}) {
      CAPTURE(dirac::to_string(c.lattice), c.grid, length);
      const double m5 = 1.8, mass = 0.07;
      const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 9, c.lattice);
      std::vector<TextField> psi, got;
      for (int s = 0; s < length; ++s) {
        psi.push_back(random_spinors(dirac::volume_of(c.lattice), static_cast<unsigned>(20 + s)));
        got.emplace_back(psi.back().size());
      }
      const auto want = textbook_domain_wall(gauge, kUneven, m5, mass, psi);
      double inverse_error = 0, dagger_error = 0;
      on_grid(c.grid, [&] {
        Workbench<double> node(gauge);
        const Geometry& g = node.geometry;
        const auto links = dirac::fermion_links<double>(g, node.links, kUneven);
        dirac::HoppingTerm<double> hop(g, links, node.clock, {Targets::Even, Targets::Odd},
                                       dirac::Isa::Auto, length);
        dirac::DomainWallTerm<double> wall(g, length, m5, mass, node.clock);
        SpinorField<double> half[2];
        const auto spinors = static_cast<std::size_t>(length);
        for (int parity = 0; parity < 2; ++parity) {
          half[parity].resize(static_cast<std::size_t>(g.parity_count(parity)) * spinors);
          for (std::size_t s = 0; s < spinors; ++s) {
            const auto part = taken<SpinorField<double>>(g, parity, psi[s]);
            for (std::size_t i = 0; i < part.size(); ++i) half[parity][i * spinors + s] = part[i];
          }
        }
        for (int parity = 0; parity < 2; ++parity) {
          SpinorField<double> hopped(half[parity].size()), out(half[parity].size());
          hop.apply(parity == 0 ? Targets::Even : Targets::Odd, 1, hopped, half[1 - parity]);
          wall.apply(parity, out, half[parity], false);
          node.spinors.add(out, -0.5, hopped);
          for (std::size_t s = 0; s < spinors; ++s) {
            SpinorField<double> part;
            for (std::size_t i = s; i < out.size(); i += spinors) part.push_back(out[i]);
            given(g, parity, part, got[s]);
          }
          for (const bool dagger : {false, true}) {
            SpinorField<double> round = half[parity];
            wall.apply(parity, round, round, dagger);
            // <A x, y> = <x, A^dagger y>
            SpinorField<double> other(round.size());
            wall.apply(parity, other, hopped, !dagger);
            const double left = node.spinors.product(round, hopped),
                         right = node.spinors.product(half[parity], other);
            dagger_error = std::max(dagger_error, std::fabs(left - right));
            wall.apply_inverse(parity, round, round, dagger);
            inverse_error =
                std::max(inverse_error, node.spinors.scale_add_norm2(round, 1, half[parity], -1));
          }
        }
      });
      for (std::size_t s = 0; s < want.size(); ++s) CHECK(distance(got[s], want[s]) < 4e-14);
      CHECK(inverse_error < 1e-22);
      CHECK(dagger_error < 1e-9);
    }
  }
}

TEST_CASE("a fifth dimension of one site is Wilson's matrix", "[operators]") {
  const Coordinates lattice{4, 4, 2, 4};
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 9, lattice);
  const TextField psi = random_spinors(dirac::volume_of(lattice), 1);
  const TextField wall = textbook_domain_wall(gauge, kPeriodic, 1.8, 0.3, {psi})[0];
  TextField wilson = textbook_hop(gauge, kPeriodic, 1, psi);
  for (std::size_t i = 0; i < wilson.size(); ++i) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t c = 0; c < 3; ++c)
        wilson[i][s][c] = (5 - 1.8 + 0.3) * psi[i][s][c] - wilson[i][s][c] / 2.0;
    }
  }
  CHECK(distance(wall, wilson) < 1e-14);
}

TEST_CASE("operators refuse what they cannot do", "[operators]") {
  const auto refuses = [](const Coordinates& lattice, const std::vector<int>& grid,
                          TextAction action, double u0, const std::string& what) {
    const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 1, lattice);
    on_grid(grid, [&] {
      Workbench<double> node(gauge);
      CHECK_THROWS_WITH(dirac::StaggeredHop<double>(
                            node.shift, staggered_links(node.shift, node.links, action, u0),
                            kPeriodic, node.clock),
                        Catch::Contains(what));
    });
  };
  refuses({4, 4, 4, 4}, {2}, TextAction::Asqtad, 1,
          "Naik's term reaches three sites, and a node has 2 along x");
  refuses({3, 4, 4, 4}, {1}, TextAction::OneLink, 1, "need even extents");
  refuses({4, 4, 4, 4}, {1}, TextAction::Asqtad, 0, "u0 of 0");
  on_grid({1}, [&] {
    const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 1, {2, 2, 2, 2});
    Workbench<double> node(gauge);
    dirac::StaggeredHop<double> hop(node.shift, dirac::one_link(node.links), kPeriodic, node.clock);
    CHECK_THROWS_WITH(dirac::StaggeredMatrix<double>(hop, node.colours, Targets::Odd, 0),
                      Catch::Contains("mass of 0"));
    CHECK_THROWS_WITH(dirac::DomainWallTerm<double>(node.geometry, 0, 1.8, 0.1, node.clock),
                      Catch::Contains("at least 1"));
    CHECK_THROWS_WITH(dirac::DomainWallTerm<double>(node.geometry, 4, 5, 0.1, node.clock),
                      Catch::Contains("height of 5"));
  });
}
