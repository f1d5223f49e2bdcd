// SPDX-License-Identifier: Apache-2.0
// Sources, solvers and correlators against a textbook's arithmetic and against the free theory.
#include "sw/dirac/solver.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <numbers>

#include "sw/dirac/source.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"

using namespace ht;
using namespace ht::test;
using dirac::FieldKind;
using dirac::JobSpec;

namespace {

TextField solution_of(const Finished& run, const JobSpec& spec, int column) {
  const auto volume = static_cast<std::size_t>(dirac::volume_of(spec.lattice));
  TextField out(volume);
  const std::size_t real = spec.precision == dirac::Precision::Double ? 8 : 4;
  const std::byte* at = run.solution.data() + static_cast<std::size_t>(column) * volume * 24 * real;
  const auto next = [&] {
    double x = 0;
    if (real == 8) {
      std::memcpy(&x, at, 8);
    } else {
      float f = 0;
      std::memcpy(&f, at, 4);
      x = static_cast<double>(f);
    }
    at += real;
    return x;
  };
  for (TextSpinor& s : out) {
    for (auto& spin : s) {
      for (Complex& c : spin) {
        const double re = next();
        c = {re, next()};
      }
    }
  }
  return out;
}

/// M psi = psi / (2 kappa) - D psi / 2
TextField textbook_matrix(const GlobalGauge& gauge, const JobSpec& spec, int sign,
                          const TextField& psi) {
  TextField out = textbook_hop(gauge, spec.boundary, sign, psi);
  for (std::size_t i = 0; i < out.size(); ++i) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t c = 0; c < 3; ++c) {
        out[i][s][c] = psi[i][s][c] / (2 * spec.fermions.kappa) - out[i][s][c] / 2.0;
      }
    }
  }
  return out;
}

/// (1 + w^2/(4n) Laplacian)^n on a point, in one spin.
TextField textbook_source(const GlobalGauge& gauge, const dirac::Source& source, int colour,
                          int spin) {
  TextField b(gauge.links.size());
  const auto s = static_cast<std::size_t>(spin);
  b[static_cast<std::size_t>(dirac::lexicographic(source.position, gauge.lattice))][s]
   [static_cast<std::size_t>(colour)] = 1;
  for (int n = 0; source.gaussian && n < source.iterations; ++n) {
    TextField next = b;
    for (std::size_t site = 0; site < b.size(); ++site) {
      const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), gauge.lattice);
      for (std::size_t i = 0; i < 3; ++i) {
        Complex laplacian = -6.0 * b[site][s][i];
        for (std::size_t mu = 0; mu < 3; ++mu) {
          Coordinates up = x, down = x;
          up[mu] = (x[mu] + 1) % gauge.lattice[mu];
          down[mu] = (x[mu] + gauge.lattice[mu] - 1) % gauge.lattice[mu];
          const auto& v = b[static_cast<std::size_t>(dirac::lexicographic(up, gauge.lattice))][s];
          const auto& w = b[static_cast<std::size_t>(dirac::lexicographic(down, gauge.lattice))][s];
          for (std::size_t j = 0; j < 3; ++j) {
            laplacian += link_element(gauge.links[site][mu], i, j) * v[j] +
                         std::conj(link_element(gauge.at(down)[mu], j, i)) * w[j];
          }
        }
        next[site][s][i] += source.width * source.width / (4 * source.iterations) * laplacian;
      }
    }
    b = next;
  }
  return b;
}

double norm2(const TextField& f) {
  return dot(f, f).real();
}

TextField minus(TextField a, const TextField& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t c = 0; c < 3; ++c) a[i][s][c] -= b[i][s][c];
    }
  }
  return a;
}

JobSpec strong_spec() {
  JobSpec spec;
  spec.lattice = {4, 4, 2, 6};
  spec.field = FieldKind::Hot;
  spec.seed = 21;
  spec.gauge =
      std::make_shared<GlobalGauge>(dirac::generate_gauge(spec.field, spec.seed, spec.lattice));
  spec.boundary = {1, -1, 1, -1};
  spec.source = {.gaussian = true, .position = {1, 2, 0, 4}, .width = 1.5, .iterations = 3};
  return spec;
}

}  // namespace

TEST_CASE("solutions on a strong field satisfy the textbook's equation", "[solver]") {
  for (const auto solver : {dirac::SolverKind::EvenOdd, dirac::SolverKind::Full}) {
    for (const auto precision : {dirac::Precision::Double, dirac::Precision::Single}) {
      for (const bool gaussian : {false, true}) {
        JobSpec spec = strong_spec();
        spec.solver = solver;
        spec.precision = precision;
        spec.source.gaussian = gaussian;
        spec.columns = 6;
        const bool is_double = precision == dirac::Precision::Double;
        CAPTURE(static_cast<int>(solver), is_double, gaussian);
        const Finished run = run_job(spec, {2, 2, 1});
        REQUIRE(run.result.converged());
        REQUIRE(run.result.columns.size() == 6);
        std::vector<double> correlator(static_cast<std::size_t>(spec.lattice[3]));
        for (int column = 0; column < spec.columns; ++column) {
          const dirac::ColumnResult& got = run.result.columns[static_cast<std::size_t>(column)];
          CHECK(got.colour == column / 4);
          CHECK(got.spin == column % 4);
          const TextField b = textbook_source(*spec.gauge, spec.source, got.colour, got.spin);
          const TextField x = solution_of(run, spec, column);
          const double residual =
              std::sqrt(norm2(minus(b, textbook_matrix(*spec.gauge, spec, 1, x))) / norm2(b));
          CHECK(got.source_norm2 == Approx(norm2(b)).epsilon(is_double ? 1e-13 : 1e-6));
          CHECK(residual < (is_double ? 1e-11 : 2e-6));
          // In single precision it is computed in single precision, and mostly noise.
          CHECK(std::fabs(got.true_residual / residual - 1) < (is_double ? 1e-3 : 2));
          CHECK(got.history.size() == static_cast<std::size_t>(got.iterations) + 1);
          const double target = spec.tolerance * spec.tolerance * got.history.front();
          CHECK(got.history.back() <= target);
          CHECK(got.history[got.history.size() - 2] > target);
          for (std::size_t site = 0; site < x.size(); ++site) {
            const auto t = static_cast<std::size_t>(
                dirac::coordinates_of(static_cast<std::int64_t>(site), spec.lattice)[3]);
            correlator[t] += norm2({x[site]});
          }
        }
        REQUIRE(run.result.correlator.size() == correlator.size());
        for (std::size_t t = 0; t < correlator.size(); ++t) {
          CHECK(run.result.correlator[t] == Approx(correlator[t]).epsilon(1e-13));
        }
      }
    }
  }
}

TEST_CASE("the residual starts at M^dagger b", "[solver]") {
  JobSpec spec = strong_spec();
  spec.solver = dirac::SolverKind::Full;
  const TextField b = textbook_source(*spec.gauge, spec.source, 0, 0);
  const double want = norm2(textbook_matrix(*spec.gauge, spec, -1, b));
  // b has one chirality, so |M b| is as large: that it is M^dagger only the solutions show.
  CHECK(run_job(spec, {1}).result.columns[0].history[0] == Approx(want).epsilon(1e-13));
}

TEST_CASE("generated fields are the same on nodes and host", "[solver]") {
  JobSpec spec = strong_spec();
  const Finished from_host = run_job(spec, {2, 1, 1, 2});
  const dirac::Plaquette host = spec.gauge->plaquette;
  CHECK(from_host.result.plaquette.space_space == host.space_space);
  CHECK(from_host.result.plaquette.space_time == host.space_time);
  CHECK(from_host.result.link_trace == spec.gauge->link_trace);
  spec.gauge = nullptr;
  const Finished from_nodes = run_job(spec, {2, 1, 1, 2});
  CHECK((from_nodes.solution == from_host.solution));
  CHECK(from_nodes.result.field == "hot field, seed 21");
}

TEST_CASE("the free pion correlator is the sum over momenta", "[solver]") {
  JobSpec spec;
  spec.lattice = {4, 2, 4, 8};
  spec.field = FieldKind::Unit;
  spec.boundary = {1, 1, 1, -1};
  spec.source.position = {0, 0, 0, 0};
  spec.columns = 12;
  // S(p) = 1 / (1/(2 kappa) - sum_mu (cos p_mu - i gamma_mu sin p_mu))
  //      = (w - i gamma.s) / (w^2 + s^2), w = 1/(2 kappa) - sum cos p, s = sin p
  const int lt = spec.lattice[3];
  const int space = 4 * 2 * 4;
  std::vector<double> want(static_cast<std::size_t>(lt));
  for (int n = 0; n < space; ++n) {
    const Coordinates k = dirac::coordinates_of(n, {4, 2, 4, 1});
    for (int t = 0; t < lt; ++t) {
      std::array<Complex, 5> part{};  // coefficients of 1 and of the four gamma matrices
      for (int m = 0; m < lt; ++m) {
        std::array<double, 4> p{};
        for (std::size_t mu = 0; mu < 3; ++mu) {
          p[mu] = 2 * std::numbers::pi * k[mu] / spec.lattice[mu];
        }
        p[3] = 2 * std::numbers::pi * (m + 0.5) / lt;
        double w = 1 / (2 * spec.fermions.kappa), s2 = 0;
        for (const double q : p) {
          w -= std::cos(q);
          s2 += std::sin(q) * std::sin(q);
        }
        const Complex phase = std::polar(1.0 / lt, p[3] * t);
        part[0] += phase * w / (w * w + s2);
        for (std::size_t mu = 0; mu < 4; ++mu) {
          part[mu + 1] -= phase * Complex(0, std::sin(p[mu])) / (w * w + s2);
        }
      }
      // tr over 4 spins of |sum|^2 is diagonal in {1, gamma_mu}; 3 colours.
      for (const Complex& c : part) want[static_cast<std::size_t>(t)] += 12 * std::norm(c) / space;
    }
  }
  const Finished run = run_job(spec, {2, 1, 2});
  for (std::size_t t = 0; t < want.size(); ++t) {
    CHECK(run.result.correlator[t] == Approx(want[t]).epsilon(1e-10));
  }
}

TEST_CASE("both solvers and both kinds of sum give the same answer", "[solver]") {
  JobSpec spec = strong_spec();
  const Finished eo = run_job(spec, {2, 2});
  spec.sum = dirac::SumKind::Fast;
  const Finished fast = run_job(spec, {2, 2});
  spec.solver = dirac::SolverKind::Full;
  const Finished full = run_job(spec, {2, 2});
  const TextField x = solution_of(eo, spec, 0);
  CHECK(distance(x, solution_of(fast, spec, 0)) < 1e-12);
  CHECK(distance(x, solution_of(full, spec, 0)) < 1e-11);
  CHECK(full.result.columns[0].iterations > eo.result.columns[0].iterations);
  CHECK(eo.result.solve_flops == 5664.0 * 96 * eo.result.columns[0].iterations);
  CHECK(full.result.solve_flops == 3024.0 * 192 * full.result.columns[0].iterations);
  // One system has the flops of plain CG; each that is solved with it adds ten a complex number:
  // to its solution and its search direction.
  spec = strong_spec();
  spec.solver = dirac::SolverKind::MultiShift;
  spec.shifts = {0};
  const Finished one = run_job(spec, {2, 2});
  CHECK(one.result.solve_flops == 5664.0 * 96 * one.result.columns[0].iterations);
  spec.shifts = {0.5, 0};
  const Finished two = run_job(spec, {2, 2});
  CHECK(two.result.solve_flops == 5664.0 * 96 * two.result.columns[1].iterations +
                                      10.0 * 12 * 96 * two.result.columns[0].iterations);
}

TEST_CASE("a solver that runs out of iterations says so", "[solver]") {
  JobSpec spec = strong_spec();
  spec.columns = 3;
  spec.max_iterations = 5;
  const Finished run = run_job(spec, {2});
  REQUIRE(run.result.columns.size() == 1);  // no use in going on
  CHECK_FALSE(run.result.converged());
  CHECK(run.result.columns[0].iterations == 5);
  CHECK(run.result.columns[0].true_residual > 1e-6);
  try {
    run.result.require_converged();
    FAIL("did not throw");
  } catch (const NotConvergedError& error) {
    CHECK(error.exit_code() == ExitCode::NotConverged);
    CHECK_THAT(error.what(), Catch::Contains("not converged after 5 iterations"));
  }
  SECTION("also on numbers that overflow") {
    spec.max_iterations = 1000;
    spec.boundary = {1e200, 1, 1, 1};
    const Finished wild = run_job(spec, {1});
    CHECK_FALSE(wild.result.converged());
    CHECK(wild.result.columns[0].iterations < 10);
  }
}

TEST_CASE("progress is reported once an iteration, on one node", "[solver]") {
  JobSpec spec = strong_spec();
  spec.columns = 2;
  std::vector<dirac::Progress> seen;
  spec.progress = [&](const dirac::Progress& p) { seen.push_back(p); };
  const Finished run = run_job(spec, {2, 2});
  std::size_t at = 0;
  for (int column = 0; column < 2; ++column) {
    const dirac::ColumnResult& c = run.result.columns[static_cast<std::size_t>(column)];
    for (int i = 1; i <= c.iterations; ++i, ++at) {
      REQUIRE(at < seen.size());
      CHECK(seen[at].column == column);
      CHECK(seen[at].iteration == i);
      CHECK(seen[at].residual_norm2 == c.history[static_cast<std::size_t>(i)]);
    }
  }
  CHECK(at == seen.size());
}
