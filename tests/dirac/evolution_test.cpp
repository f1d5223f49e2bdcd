// SPDX-License-Identifier: Apache-2.0
// Hybrid Monte Carlo: forces are derivatives of actions, trajectories can be turned round, and the
// field after them is the same on any node grid.
#include "sw/dirac/evolve/evolution.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sw/dirac/evolve/trajectory.hpp"
#include "sw/dirac/gauge/generate.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"

using namespace ht;
using namespace ht::test;
using dirac::EvolutionSpec;
using dirac::Link;
using dirac::LinkFields;

namespace {

/// A node of an evolution with its links taken from a spec.
struct Dynamics {
  explicit Dynamics(const EvolutionSpec& spec)
      : geometry(dirac::declare_geometry(spec.lattice, {})), dynamics(spec, geometry, clock) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (int site = 0; site < geometry.volume(); ++site)
        dynamics.links[mu].push_back(dirac::generate_link(
            spec.field, spec.seed, geometry.global_index(site), static_cast<int>(mu)));
    }
  }
  dirac::FreeWork free;
  dirac::PhaseClock clock{free};
  dirac::Geometry geometry;
  dirac::MolecularDynamics dynamics;
};

double largest_difference(const LinkFields& a, const LinkFields& b) {
  double worst = 0;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t site = 0; site < a[mu].size(); ++site) {
      for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 3; ++j) {
          for (std::size_t part = 0; part < 2; ++part)
            worst =
                std::max(worst, std::fabs(a[mu][site].e[i][j][part] - b[mu][site].e[i][j][part]));
        }
      }
    }
  }
  return worst;
}

Link scaled(Link p, double factor) {
  for (auto& row : p.e) {
    for (auto& z : row) {
      for (double& part : z) part *= factor;
    }
  }
  return p;
}

struct Evolved {
  GlobalGauge gauge;
  dirac::EvolutionResult result;
};
Evolved evolve(const EvolutionSpec& spec, const std::vector<int>& grid) {
  dirac::EvolutionSink sink(spec);
  on_grid(grid, [&] {
    dirac::FreeWork free;
    dirac::run_evolution(spec, sink, free);
  });
  return {sink.gauge(), sink.result()};
}

bool same_bits(const GlobalGauge& a, const GlobalGauge& b) {
  return a.links.size() == b.links.size() &&
         std::memcmp(a.links.data(), b.links.data(), a.links.size() * sizeof(a.links[0])) == 0;
}

EvolutionSpec small(int flavours) {
  EvolutionSpec spec;
  spec.lattice = {4, 2, 4, 4};
  spec.field = dirac::FieldKind::Weak;
  spec.seed = 5;
  spec.flavours = flavours;
  spec.kappa = 0.12;
  spec.mu = 0.3;
  spec.tolerance = 1e-13;
  spec.steps = 10;
  return spec;
}

}  // namespace

TEST_CASE("normal numbers have the moments of the normal distribution", "[evolution]") {
  constexpr int count = 200'000;
  double sums[4]{}, correlation = 0, before = 0;
  dirac::NormalStream random(dirac::UniformStream(3, {1, 2, 3}));
  for (int i = 0; i < count; ++i) {
    const double x = random.next();
    for (int k = 0; k < 4; ++k) sums[k] += std::pow(x, k + 1);
    correlation += x * before;
    before = x;
  }
  // Moments 0, 1, 0, 3 and their standard deviations.
  const double wanted[] = {0, 1, 0, 3}, variance[] = {1, 2, 15, 96};
  for (int k = 0; k < 4; ++k)
    CHECK(std::fabs(sums[k] / count - wanted[k]) < 4 * std::sqrt(variance[k] / count));
  CHECK(std::fabs(correlation / count) < 4 / std::sqrt(count));
}

TEST_CASE("momenta are in the algebra, eight normal numbers a link", "[evolution]") {
  double sum = 0;
  constexpr int count = 20'000;
  dirac::NormalStream random(dirac::UniformStream(4, {1, 2, 3}));
  for (int i = 0; i < count; ++i) {
    const Link p = dirac::draw_momentum(random);
    const Link same = dirac::traceless_antihermitian(p);
    double norm = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b) {
        for (std::size_t part = 0; part < 2; ++part) {
          if (std::fabs(p.e[a][b][part] - same.e[a][b][part]) > 1e-15) FAIL("not in the algebra");
          norm += p.e[a][b][part] * p.e[a][b][part];
        }
      }
    }
    sum += norm;
  }
  // The sum of squares is that of eight numbers: mean 8, variance 16.
  CHECK(std::fabs(sum / count - 8) < 4 * std::sqrt(16.0 / count));
}

TEST_CASE("the exponential is in the group and adds up", "[evolution]") {
  dirac::NormalStream random(dirac::UniformStream(5, {0, 0, 0}));
  for (int i = 0; i < 100; ++i) {
    const Link p = scaled(dirac::draw_momentum(random), 0.2);
    CHECK(dirac::unitarity_defect(dirac::exponential(p)) < 1e-15);
    // exp(p) = exp(p/2)^2, and of a diagonal matrix the known numbers.
    const Link half = dirac::exponential(scaled(p, 0.5));
    const Link square = dirac::multiply(half, half), whole = dirac::exponential(p);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < 3; ++b)
        CHECK(std::fabs(square.e[a][b][1] - whole.e[a][b][1]) < 1e-15);
    }
  }
  Link diagonal{};
  diagonal.e[0][0][1] = 0.7;
  diagonal.e[1][1][1] = -0.7;
  const Link u = dirac::exponential(diagonal);
  CHECK(std::fabs(u.e[0][0][0] - std::cos(0.7)) < 1e-15);
  CHECK(std::fabs(u.e[1][1][1] + std::sin(0.7)) < 1e-15);
}

TEST_CASE("forces are the derivatives of the actions", "[evolution]") {
  // dS along a random direction T of all links, by the force and by a five-point difference.
  for (const int flavours : {0, 2}) {
    for (const dirac::FieldKind field : {dirac::FieldKind::Weak, dirac::FieldKind::Hot}) {
      EvolutionSpec spec = small(flavours);
      spec.field = field;
      spec.kappa = 0.11;
      spec.boundary = {1, -1, 1, -1};
      CAPTURE(flavours, static_cast<int>(field));
      on_grid({1}, [&] {
        Dynamics node(spec);
        node.dynamics.refresh(3);  // pseudofermions, and momenta as directions
        const LinkFields start = node.dynamics.links, direction = node.dynamics.momenta;
        const LinkFields w = node.dynamics.force();
        double by_force = 0;
        for (std::size_t mu = 0; mu < 4; ++mu) {
          for (std::size_t site = 0; site < w[mu].size(); ++site)
            by_force += dirac::real_trace(dirac::multiply(direction[mu][site], w[mu][site]));
        }
        const auto action = [&](double distance) {
          for (std::size_t mu = 0; mu < 4; ++mu) {
            for (std::size_t site = 0; site < w[mu].size(); ++site)
              node.dynamics.links[mu][site] = dirac::multiply(
                  dirac::exponential(scaled(direction[mu][site], distance)), start[mu][site]);
          }
          const auto e = node.dynamics.energy(false);
          return e.gauge + e.fermions;
        };
        const double h = 2e-3;
        const double by_difference =
            (8 * (action(h) - action(-h)) - (action(2 * h) - action(-2 * h))) / (12 * h);
        CAPTURE(by_force, by_difference);
        CHECK(std::fabs(by_force / by_difference - 1) < 1e-7);
      });
    }
  }
}

// A psi = (1/(2 kappa) + i mu gamma_5) psi on the sites of one parity, or its inverse, or the
// adjoint of either (mu < 0).
TextField textbook_twist(const EvolutionSpec& s, double mu, bool inverse, const TextField& psi) {
  const double a = 1 / (2 * s.kappa), norm = inverse ? a * a + mu * mu : 1;
  const Gamma five = gamma5();
  TextField out(psi.size());
  for (std::size_t site = 0; site < psi.size(); ++site) {
    const TextSpinor turned = five * psi[site];
    for (std::size_t spin = 0; spin < 4; ++spin) {
      for (std::size_t c = 0; c < 3; ++c)
        out[site][spin][c] =
            (a * psi[site][spin][c] + Complex(0, inverse ? -mu : mu) * turned[spin][c]) / norm;
    }
  }
  return out;
}

// M = A - D A^-1 D / 4 on the odd sites, or M^dagger; psi is 0 on the even ones.
TextField textbook_complement(const EvolutionSpec& s, const GlobalGauge& gauge, bool dagger,
                              const TextField& psi) {
  const double mu = dagger ? -s.mu : s.mu;
  const int sign = dagger ? -1 : 1;
  const TextField even = textbook_twist(s, mu, true, textbook_hop(gauge, s.boundary, sign, psi));
  const TextField back = textbook_hop(gauge, s.boundary, sign, even);
  TextField out = textbook_twist(s, mu, false, psi);
  for (std::size_t site = 0; site < out.size(); ++site) {
    for (std::size_t spin = 0; spin < 4; ++spin) {
      for (std::size_t c = 0; c < 3; ++c) out[site][spin][c] -= 0.25 * back[site][spin][c];
    }
  }
  return out;
}

TEST_CASE("the pseudofermions' action is the textbook's, with a twisted mass", "[evolution]") {
  for (const double mu : {0.0, 0.4, -2.0}) {
    EvolutionSpec spec = small(2);
    spec.lattice = {2, 2, 2, 4};
    spec.field = dirac::FieldKind::Hot;
    spec.mu = mu;
    spec.boundary = {1, -1, 1, -1};
    CAPTURE(mu);
    // phi = M^dagger eta of one field; its action on another.
    const GlobalGauge first = dirac::generate_gauge(spec.field, spec.seed, spec.lattice);
    const GlobalGauge second = dirac::generate_gauge(spec.field, spec.seed + 1, spec.lattice);
    constexpr std::uint32_t trajectory = 3;
    double got = 0;
    on_grid({1}, [&] {
      Dynamics node(spec);
      node.dynamics.refresh(trajectory);
      for (std::size_t axis = 0; axis < 4; ++axis) {
        for (int site = 0; site < node.geometry.volume(); ++site)
          node.dynamics.links[axis][static_cast<std::size_t>(site)] =
              second.at(node.geometry.global_place(site))[axis];
      }
      got = node.dynamics.energy(false).fermions;
    });
    TextField eta(first.links.size());
    for (std::size_t site = 0; site < eta.size(); ++site) {
      const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), spec.lattice);
      if ((x[0] + x[1] + x[2] + x[3]) % 2 == 0) continue;
      dirac::NormalStream random(dirac::UniformStream(
          spec.seed, {static_cast<std::uint32_t>(site),
                      static_cast<std::uint32_t>(dirac::Draw::Pseudofermion), trajectory}));
      for (auto& spin : eta[site]) {
        for (Complex& z : spin) {
          const double re = random.next();
          z = std::sqrt(0.5) * Complex(re, random.next());
        }
      }
    }
    const TextField phi = textbook_complement(spec, first, true, eta);
    // Conjugate gradient for M^dagger M x = phi on the second field.
    TextField x(phi.size()), r = phi, p = phi;
    const auto add = [](TextField& to, double factor, const TextField& what) {
      for (std::size_t site = 0; site < to.size(); ++site) {
        for (std::size_t spin = 0; spin < 4; ++spin) {
          for (std::size_t c = 0; c < 3; ++c) to[site][spin][c] += factor * what[site][spin][c];
        }
      }
    };
    double rr = dot(r, r).real();
    const double enough = 1e-26 * rr;
    for (int i = 0; i < 2000 && rr > enough; ++i) {
      const TextField q =
          textbook_complement(spec, second, true, textbook_complement(spec, second, false, p));
      const double alpha = rr / dot(p, q).real();
      add(x, alpha, p);
      add(r, -alpha, q);
      const double next = dot(r, r).real();
      TextField turned = r;
      add(turned, next / rr, p);
      p = turned;
      rr = next;
    }
    CHECK(got == Approx(dot(phi, x).real()).epsilon(1e-10));
  }
}

TEST_CASE("trajectories can be turned round, and conserve H to their order", "[evolution]") {
  for (const int flavours : {0, 2}) {
    for (const dirac::Integrator integrator :
         {dirac::Integrator::Leapfrog, dirac::Integrator::Omelyan}) {
      EvolutionSpec spec = small(flavours);
      spec.integrator = integrator;
      CAPTURE(flavours, dirac::to_string(integrator));
      const auto delta_h = [&](int steps, bool back) {
        spec.steps = steps;
        double delta = 0;
        on_grid({1}, [&] {
          Dynamics node(spec);
          const LinkFields start = node.dynamics.links;
          node.dynamics.refresh(0);
          const auto sum = [&](bool fresh) {
            const auto e = node.dynamics.energy(fresh);
            return e.kinetic + e.gauge + e.fermions;
          };
          const double before = sum(true);
          node.dynamics.integrate();
          delta = sum(false) - before;
          if (!back) return;
          for (auto& field : node.dynamics.momenta) {
            for (Link& p : field) p = scaled(p, -1);
          }
          node.dynamics.integrate();
          CHECK(largest_difference(node.dynamics.links, start) < 1e-12);
          CHECK(std::fabs(sum(false) - before) < 1e-8);
        });
        return delta;
      };
      // Both integrators are of second order: half the step, a quarter of the error.
      const double coarse = delta_h(16, true), fine = delta_h(32, false);
      CHECK(std::fabs(coarse) > 1e-5);
      CHECK(std::fabs(coarse / fine - 4) < 0.5);
    }
  }
}

TEST_CASE("an evolution gives the same bits on any node grid, and in pieces", "[evolution]") {
  EvolutionSpec spec = small(2);
  spec.lattice = {4, 4, 4, 6};
  spec.tolerance = 1e-8;
  spec.steps = 3;
  spec.length = 0.1;
  spec.trajectories = 2;
  const Evolved one = evolve(spec, {1});
  for (const std::vector<int>& grid : {std::vector{2, 2, 2}, std::vector{1, 1, 1, 3}}) {
    const Evolved many = evolve(spec, grid);
    CHECK(same_bits(many.gauge, one.gauge));
    REQUIRE(many.result.trajectories.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(many.result.trajectories[i].delta_h == one.result.trajectories[i].delta_h);
      CHECK(many.result.trajectories[i].iterations == one.result.trajectories[i].iterations);
    }
  }
  CAPTURE(one.result.trajectories[0].delta_h);
  CHECK(one.result.trajectories[0].accepted);
  EvolutionSpec piece = spec;
  piece.trajectories = 1;
  piece.gauge = std::make_shared<GlobalGauge>(evolve(piece, {1}).gauge);
  piece.first = 1;
  CHECK(same_bits(evolve(piece, {2}).gauge, one.gauge));
  // Every trajectory and every axis has numbers of its own.
  on_grid({1}, [&] {
    Dynamics node(small(0));
    node.dynamics.refresh(0);
    const LinkFields first = node.dynamics.momenta;
    node.dynamics.refresh(1);
    const LinkFields second = node.dynamics.momenta;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      CHECK(first[mu][0].e[0][1][0] != second[mu][0].e[0][1][0]);
      CHECK(first[mu][0].e[0][1][0] != first[(mu + 1) % 4][0].e[0][1][0]);
      CHECK(first[mu][0].e[0][1][0] != first[mu][1].e[0][1][0]);
    }
  });
}

TEST_CASE("a cold start follows MILC's hybrid Monte Carlo", "[evolution][reference]") {
  // MILC, pure_gauge_old/test/su3_hmc.2.sample-out: beta 6, 4x4x4x8, leapfrog of 4 steps of 0.01
  // from the unit field; space-space and space-time plaquettes (trace 3) after each trajectory.
  // Random numbers differ; what momenta do to 12288 degrees of freedom is the same within a per
  // cent or two.
  constexpr std::array<std::array<double, 2>, 10> published = {{{2.974522, 2.974798},
                                                                {2.948748, 2.949873},
                                                                {2.923510, 2.925846},
                                                                {2.900676, 2.903250},
                                                                {2.879547, 2.882946},
                                                                {2.858542, 2.861345},
                                                                {2.837686, 2.840232},
                                                                {2.818257, 2.820853},
                                                                {2.798278, 2.800890},
                                                                {2.781878, 2.783925}}};
  EvolutionSpec spec;
  spec.lattice = {4, 4, 4, 8};
  spec.field = dirac::FieldKind::Unit;
  spec.beta = 6;
  spec.steps = 4;  // Omelyan's: MILC's begins with the links, so its delta H has the other sign
  spec.length = 0.04;
  spec.trajectories = 10;
  std::array<double, 10> mean{};
  constexpr int runs = 4;
  for (int run = 0; run < runs; ++run) {
    spec.seed = 100 + static_cast<std::uint64_t>(run);
    const Evolved e = evolve(spec, {1});
    for (std::size_t i = 0; i < 10; ++i)
      mean[i] += (3 - 3 * e.result.trajectories[i].plaquette.average()) / runs;
  }
  for (std::size_t i = 0; i < 10; ++i) {
    const double want = 3 - (published[i][0] + published[i][1]) / 2;
    CAPTURE(i, mean[i], want);
    CHECK(std::fabs(mean[i] / want - 1) < (i < 9 ? 0.05 : 0.025));
  }
}

TEST_CASE("evolutions refuse what makes no sense", "[evolution]") {
  const auto refused = [](auto change, const std::string& what) {
    EvolutionSpec spec;
    change(spec);
    CHECK_THROWS_WITH(dirac::validate(spec), Catch::Contains(what));
    CHECK_THROWS_AS(dirac::validate(spec), UsageError);
  };
  refused([](EvolutionSpec& s) { s.beta = -1; }, "beta -1");
  refused([](EvolutionSpec& s) { s.flavours = 3; }, "3 flavours");
  refused([](EvolutionSpec& s) { s.flavours = 2, s.kappa = 0; }, "kappa 0");
  refused([](EvolutionSpec& s) { s.flavours = 2, s.lattice = {4, 4, 4, 5}; }, "even extents");
  refused([](EvolutionSpec& s) { s.steps = 1; }, "steps of 0.5");
  refused([](EvolutionSpec& s) { s.length = 0; }, "length 0");
  refused([](EvolutionSpec& s) { s.trajectories = 0; }, "trajectories 0");
  refused([](EvolutionSpec& s) { s.node_grid = {3}; }, "not divided by 3");
  EvolutionSpec lost = small(2);
  lost.max_iterations = 2;
  CHECK_THROWS_AS(evolve(lost, {1}), NotConvergedError);
}
