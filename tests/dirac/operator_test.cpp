// SPDX-License-Identifier: Apache-2.0
// The hopping term against a textbook's, against its symmetries, and against plane waves.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/dirac/kernel_samples.hpp"
#include "tests/dirac/on_grid.hpp"

using namespace ht;
using namespace ht::test;
using dirac::FieldKind;
using dirac::Isa;

namespace {

constexpr std::array<double, 4> kPeriodic{1, 1, 1, 1};
constexpr std::array<double, 4> kUneven{0.5, -1, 0, 2};

TextField random_field(std::int64_t volume, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  TextField field(static_cast<std::size_t>(volume));
  for (TextSpinor& s : field) {
    for (auto& spin : s) {
      for (Complex& c : spin) c = {uniform(random), uniform(random)};
    }
  }
  return field;
}

TextField times(const Gamma& g, TextField field) {
  for (TextSpinor& s : field) s = g * s;
  return field;
}

}  // namespace

TEST_CASE("the gamma matrices of the tests satisfy their algebra", "[operator]") {
  for (int mu = 0; mu < 4; ++mu) {
    for (int nu = 0; nu < 4; ++nu) {
      const Gamma a = product(gamma_matrix(mu), gamma_matrix(nu));
      const Gamma b = product(gamma_matrix(nu), gamma_matrix(mu));
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t j = 0; j < 4; ++j) {
          CHECK(a[i][j] + b[i][j] == Complex(i == j && mu == nu ? 2 : 0));
        }
      }
    }
  }
  const Gamma g5 = gamma5();
  for (std::size_t i = 0; i < 4; ++i) CHECK(g5[i][i] == Complex(i < 2 ? 1 : -1));
}

TEST_CASE("the hopping term is the textbook's, on any grid", "[operator]") {
  struct Case {
    Coordinates lattice;
    std::vector<int> grid;
    bool by_parity;
  };
  // Interior sites, none, local extents of 1, 2 and 3, cut and whole axes, odd lattices.
  const std::vector<Case> cases = {
      {{4, 4, 4, 8}, {1}, true},          {{4, 4, 4, 8}, {1}, false},
      {{4, 4, 4, 8}, {2, 2, 2}, true},    {{4, 4, 4, 8}, {2, 2, 2}, false},
      {{4, 2, 4, 6}, {4, 1, 2, 3}, true}, {{6, 4, 2, 2}, {2, 1, 2}, true},
      {{4, 2, 2, 2}, {4, 2, 2, 2}, true}, {{3, 5, 2, 1}, {3, 1, 2}, false},
      {{6, 6, 4, 4}, {1, 2, 1, 2}, true}, {{1, 3, 6, 4}, {1, 3, 1, 4}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(dirac::to_string(c.lattice), c.grid, c.by_parity);
    const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 11, c.lattice);
    const TextField psi = random_field(dirac::volume_of(c.lattice), 3);
    for (const int sign : {1, -1}) {
      for (const auto& boundary : {kPeriodic, kUneven}) {
        const TextField want = textbook_hop(gauge, boundary, sign, psi);
        // Sums of 8 x 3 x 2 products of numbers up to about 2: rounding is some 1e-15.
        CHECK(distance(grid_hop<double>(c.grid, gauge, boundary, sign, psi, c.by_parity), want) <
              2e-14);
        CHECK(distance(grid_hop<float>(c.grid, gauge, boundary, sign, psi, c.by_parity), want) <
              1e-5);
      }
    }
  }
}

/// What this computer has beside the baseline.
std::vector<Isa> wider_isas() {
  std::vector<Isa> isas;
  for (const Isa isa : {Isa::Avx2, Isa::Avx512}) {
    if (isa <= dirac::widest_isa()) isas.push_back(isa);
  }
  return isas;
}

TEST_CASE("instruction sets give the same bits", "[operator]") {
  const std::vector<Isa> others = wider_isas();
  if (others.empty()) {
    WARN("SKIPPED: this computer has no AVX2");
    return;
  }
  for (const Isa isa : others) {
    INFO(dirac::to_string(isa));
    CHECK(test::kernel_samples(isa) == test::kernel_samples(Isa::Baseline));
  }
  const Coordinates lattice{4, 4, 2, 4};
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 2, lattice);
  const TextField psi = random_field(dirac::volume_of(lattice), 8);
  for (const std::vector<int>& grid : {std::vector{1}, std::vector{2, 2, 2, 2}}) {
    for (const int sign : {1, -1}) {
      for (const Isa isa : others) {
        INFO(dirac::to_string(isa));
        CHECK(grid_hop<double>(grid, gauge, kUneven, sign, psi, true, Isa::Baseline) ==
              grid_hop<double>(grid, gauge, kUneven, sign, psi, true, isa));
        CHECK(grid_hop<float>(grid, gauge, kUneven, sign, psi, true, Isa::Baseline) ==
              grid_hop<float>(grid, gauge, kUneven, sign, psi, true, isa));
      }
    }
  }
}

TEST_CASE("D is gamma5-hermitian", "[operator]") {
  const Coordinates lattice{4, 2, 4, 4};
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 4, lattice);
  const TextField a = random_field(dirac::volume_of(lattice), 1);
  const TextField b = random_field(dirac::volume_of(lattice), 2);
  const std::array<double, 4> boundary{1, 1, 1, -1};
  const auto hop = [&](int sign, const TextField& f) {
    return grid_hop<double>({2, 1, 2}, gauge, boundary, sign, f, true);
  };
  const TextField d_b = hop(1, b);
  // <a, D b> = <D^dagger a, b>, and D^dagger is the other sign's D.
  CHECK(std::abs(dot(a, d_b) - dot(hop(-1, a), b)) < 1e-11);
  // D^dagger = gamma5 D gamma5: here the same bits, since gamma5 only flips signs.
  CHECK(distance(times(gamma5(), hop(1, times(gamma5(), a))), hop(-1, a)) < 1e-15);
  CHECK(std::abs(dot(a, d_b) - dot(hop(1, a), b)) > 1);  // the two signs do differ
}

TEST_CASE("D is gauge covariant", "[operator]") {
  const Coordinates lattice{2, 4, 4, 4};
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Hot, 6, lattice);
  const GlobalGauge turn = dirac::generate_gauge(FieldKind::Hot, 7, lattice);  // g(x) = links x
  const auto g = [&](std::size_t site) -> const dirac::Link& { return turn.links[site][0]; };
  GlobalGauge turned = gauge;
  const auto rotate = [&](const TextField& f) {
    TextField out(f.size());
    for (std::size_t site = 0; site < f.size(); ++site) {
      for (std::size_t s = 0; s < 4; ++s) {
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) {
            out[site][s][i] += link_element(g(site), i, j) * f[site][s][j];
          }
        }
      }
    }
    return out;
  };
  for (std::size_t site = 0; site < gauge.links.size(); ++site) {
    const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), lattice);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      Coordinates y = x;
      y[mu] = (y[mu] + 1) % lattice[mu];
      const auto there = static_cast<std::size_t>(dirac::lexicographic(y, lattice));
      turned.links[site][mu] = dirac::multiply(dirac::multiply(g(site), gauge.links[site][mu]),
                                               dirac::adjoint(g(there)));
    }
  }
  dirac::measure(turned);
  CHECK(turned.plaquette.average() == Approx(gauge.plaquette.average()).epsilon(1e-12));
  CHECK(std::fabs(turned.link_trace - gauge.link_trace) > 1e-4);

  const TextField psi = random_field(dirac::volume_of(lattice), 5);
  const TextField left = grid_hop<double>({1, 2, 2}, turned, kPeriodic, 1, rotate(psi), true);
  const TextField right = rotate(grid_hop<double>({1, 2, 2}, gauge, kPeriodic, 1, psi, true));
  CHECK(distance(left, right) < 1e-13);
}

TEST_CASE("on the unit field plane waves are eigenfunctions", "[operator]") {
  const Coordinates lattice{4, 6, 2, 8};
  const GlobalGauge gauge = dirac::generate_gauge(FieldKind::Unit, 0, lattice);
  const std::array<double, 4> boundary{1, 1, 1, -1};
  for (const Coordinates& n :
       {Coordinates{0, 0, 0, 0}, Coordinates{1, 2, 1, 3}, Coordinates{3, 5, 0, 6}}) {
    std::array<double, 4> p{};
    for (std::size_t mu = 0; mu < 4; ++mu) {
      p[mu] = 2 * std::numbers::pi * (n[mu] + (mu == 3 ? 0.5 : 0)) / lattice[mu];
    }
    const TextSpinor amplitude = random_field(1, 9)[0];
    TextField wave(gauge.links.size()), want(gauge.links.size());
    for (std::size_t site = 0; site < wave.size(); ++site) {
      const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), lattice);
      double phase = 0;
      for (std::size_t mu = 0; mu < 4; ++mu) phase += p[mu] * x[mu];
      TextSpinor here = amplitude;
      for (auto& spin : here) {
        for (Complex& c : spin) c *= std::polar(1.0, phase);
      }
      wave[site] = here;
      // D exp(ipx) = sum_mu (2 cos p_mu - 2 i gamma_mu sin p_mu) exp(ipx)
      for (std::size_t mu = 0; mu < 4; ++mu) {
        const TextSpinor turned = gamma_matrix(static_cast<int>(mu)) * here;
        for (std::size_t s = 0; s < 4; ++s) {
          for (std::size_t c = 0; c < 3; ++c) {
            want[site][s][c] +=
                2 * std::cos(p[mu]) * here[s][c] - Complex(0, 2 * std::sin(p[mu])) * turned[s][c];
          }
        }
      }
    }
    // Phases reach 60, and their rounding error with them.
    CHECK(distance(grid_hop<double>({2, 1, 2, 2}, gauge, boundary, 1, wave, true), want) < 2e-13);
  }
}

TEST_CASE("the receives of an announced hop are started ahead, and no other hop may come between",
          "[operator]") {
  using dirac::Targets;
  const GlobalGauge gauge = dirac::generate_gauge(dirac::FieldKind::Hot, 3, {4, 4, 4, 4});
  on_grid({2, 2}, [&] {
    GridNode node(gauge);
    const auto links = dirac::fermion_links<double>(node.geometry, node.links, kPeriodic);
    dirac::HoppingTerm<double> hop(node.geometry, links, node.clock, {Targets::Even, Targets::Odd});
    dirac::SpinorField<double> even(static_cast<std::size_t>(hop.target_count(Targets::Even)));
    dirac::SpinorField<double> odd(static_cast<std::size_t>(hop.target_count(Targets::Odd)));
    CHECK_THROWS_AS(hop.apply(Targets::Even, 1, even, odd, Targets::Even), std::logic_error);
    CHECK_THROWS_AS(hop.apply(Targets::Even, 1, even, odd, Targets::All), std::logic_error);
    for (int turn = 0; turn < 3; ++turn) {
      hop.apply(Targets::Even, 1, even, odd, Targets::Odd);
      CHECK_THROWS_AS(hop.apply(Targets::Even, 1, even, odd), std::logic_error);
      hop.apply(Targets::Odd, 1, odd, even);
    }
    hop.apply(Targets::Even, 1, even, odd);  // nothing was announced
  });
}
