// SPDX-License-Identifier: Apache-2.0
// Numbers published by Chroma and MILC, on their own configurations.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "sw/dirac/operator/clover.hpp"
#include "sw/dirac/operator/wilson.hpp"
#include "sw/dirac/solver.hpp"
#include "tests/dirac/on_grid.hpp"

using namespace ht;
using namespace ht::test;
using dirac::JobSpec;

namespace {

/// A configuration in HYPERTORUS_DATA; if there is none, says SKIPPED and why.
std::shared_ptr<const GlobalGauge> configuration(const std::string& name) {
  const char* directory = std::getenv("HYPERTORUS_DATA");
  if (directory == nullptr || *directory == '\0') {
    WARN("SKIPPED: HYPERTORUS_DATA is not set; it names the directory of " << name);
    return nullptr;
  }
  const auto path = std::filesystem::path(directory) / name;
  if (!std::filesystem::exists(path)) {
    WARN("SKIPPED: " << path << " does not exist");
    return nullptr;
  }
  return std::make_shared<GlobalGauge>(dirac::read_gauge_file(path, Coordinates{4, 4, 4, 8}));
}

void check_correlator(const std::vector<double>& got, const std::vector<double>& want,
                      double tolerance) {
  REQUIRE(got.size() == want.size());
  for (std::size_t t = 0; t < want.size(); ++t) {
    CAPTURE(t, got[t], want[t]);
    CHECK(std::fabs(got[t] / want[t] - 1) < tolerance);
  }
}

}  // namespace

TEST_CASE("plaquettes of the published configurations", "[reference]") {
  if (const auto chroma = configuration("weak_field_4448.lime")) {
    CHECK(std::fabs(chroma->plaquette.average() - 0.9948041322667) < 1e-13);
  }
  if (const auto nersc = configuration("weak_field_default_4448.nersc")) {
    CHECK(std::fabs(nersc->plaquette.average() - 0.994765) < 1e-6);
    CHECK(std::fabs(nersc->link_trace - 0.379318) < 1e-6);
    CHECK(nersc->verified.front() == "checksum 337cf07b");
  }
  if (const auto milc = configuration("lat.sample.l4448.gf")) {
    CHECK(std::fabs(milc->plaquette.space_space - 1.723748 / 3) < 5e-7);
    CHECK(std::fabs(milc->plaquette.space_time - 1.690586 / 3) < 5e-7);
  }
}

TEST_CASE("R1: Chroma's propagator from a Gaussian source", "[reference]") {
  JobSpec spec;
  spec.gauge = configuration("weak_field_4448.lime");
  if (!spec.gauge) return;
  spec.fermions.kappa = 0.11;
  spec.boundary = {1, 1, 1, 0};
  spec.source = {.gaussian = true, .position = {0, 0, 0, 6}, .width = 2.0, .iterations = 5};
  spec.columns = 12;
  const Finished run = run_job(spec, {2, 2, 2});
  const std::vector<int> want = {46, 46, 46, 46, 46, 46, 46, 46, 46, 46, 47, 46};
  double norm2 = 0;
  std::vector<int> iterations;
  for (const dirac::ColumnResult& c : run.result.columns) {
    iterations.push_back(c.iterations);
    norm2 += c.source_norm2;
  }
  CHECK(iterations == want);
  CHECK(std::fabs(norm2 / 6.64483824014293 - 1) < 1e-14);
  // What is left of a residual of 1e-12 after cancellation has few digits.
  CHECK(std::fabs(run.result.columns[0].true_residual / 6.90797175318135e-13 - 1) < 1e-4);
  check_correlator(
      run.result.correlator,
      {0.000171809638534064, 0.000420969105594192, 0.00103332200151086, 0.0025387939070557,
       0.00626143806225583, 0.01651517863739, 0.195116545587354, 0.0165409060130105},
      1e-12);
  SECTION("to the same in single precision, as far as that goes") {
    spec.precision = dirac::Precision::Single;
    check_correlator(run_job(spec, {1}).result.correlator, run.result.correlator, 1e-5);
  }
}

TEST_CASE("R2: Chroma's propagator from a point, 32-bit configuration", "[reference]") {
  JobSpec spec;
  spec.gauge = configuration("weak_field_default_4448.nersc");
  if (!spec.gauge) return;
  spec.columns = 12;
  const Finished run = run_job(spec, {2, 2, 1});
  for (const dirac::ColumnResult& c : run.result.columns) CHECK(c.iterations == 45);
  // Published by a 32-bit run, and in double from the double version of the field.
  check_correlator(
      run.result.correlator,
      {0.695079542817612, 0.0371189179171885, 0.00801121181124138, 0.00306581890117901,
       0.00206155290575518, 0.00306324855903622, 0.00800190487584655, 0.0371176432075916},
      2e-6);
  check_correlator(
      run.result.correlator,
      {6.950795631157517e-01, 3.711892328076954e-02, 8.011214883989077e-03, 3.065820840550276e-03,
       2.061554593966028e-03, 3.063250689500916e-03, 8.001908716233181e-03, 3.711765151252746e-02},
      5e-8);
}

TEST_CASE("R3: MILC's iteration counts on a strong field", "[reference]") {
  const auto gauge = configuration("lat.sample.l4448.gf");
  if (!gauge) return;
  for (const auto& [kappa, want] : {std::pair{0.12, 24}, std::pair{0.13, 34}}) {
    int iterations = 0;
    double residual = 0;
    on_grid({2, 2, 2}, [&, kappa = kappa] {
      using dirac::Targets;
      GridNode node(*gauge);
      const dirac::Geometry& g = node.geometry;
      dirac::Reducer reduce(dirac::SumKind::Reproducible, node.clock);
      dirac::Linear<double> linear(node.clock, reduce);
      const auto links = dirac::fermion_links<double>(g, node.links, {1, 1, 1, 1});
      dirac::HoppingTerm<double> hop(g, links, node.clock, {Targets::Even, Targets::Odd});
      // MILC: M = 1 - kappa D with (1 + gamma) forward, Schur complement on even sites.
      dirac::SchurMatrix<double> m(hop, linear, Targets::Even, 1, kappa, -1);
      dirac::WholeField<double> source;
      for (int parity = 0; parity < 2; ++parity) {
        for (int i = 0; i < g.parity_count(parity); ++i) {
          const Coordinates x = g.global_place(g.parity_begin(parity) + i);
          source.half[parity].emplace_back();
          int r2 = 0;
          for (std::size_t mu = 0; mu < 3; ++mu) r2 += (x[mu] - 2) * (x[mu] - 2);
          if (x[3] == 7) source.half[parity].back().at(0, 0, 0) = std::exp(-0.7 * r2);
        }
      }
      const dirac::SpinorField<double> b = m.prepare(source);
      dirac::SpinorField<double> x;
      const auto solved =
          dirac::solve_cg_residual(m, linear, x, b, {.tolerance = 5e-7, .progress = {}});
      dirac::WholeField<double> solution;
      solution.half[0] = x;
      m.reconstruct(solution, source);
      const auto [above, below] = m.residual(source, solution);
      iterations = solved.iterations;
      residual = std::sqrt(above / below);
    });
    CHECK(iterations == want);
    CHECK(residual < 1e-6);
  }
}

TEST_CASE("R4: MILC's Asqtad pions on a strong field", "[reference]") {
  // MILC, ks_spectrum/test/ks_spectrum_asqtad.periodic.2.corrfile_t0.sample-out: POINT_KAON_5 of
  // equal masses from a point at the origin, u0 1, periodic; each divided by the squared volume of
  // space. Seven digits are printed; errors of propagators are 1e-10 in MILC's own measure.
  JobSpec spec;
  spec.gauge = configuration("lat.sample.l4448.gf");
  if (!spec.gauge) return;
  spec.boundary = {1, 1, 1, 1};
  spec.columns = 3;
  spec.fermions.kind = dirac::OperatorKind::Asqtad;
  const auto measured = [&](double mass) {
    spec.fermions.mass = mass;
    std::vector<double> c = run_job(spec, {1, 1, 1, 2}).result.correlator;
    for (double& x : c) x /= 64.0 * 64;
    return c;
  };
  check_correlator(measured(0.05),
                   {1.857816e-04, 7.530411e-05, 7.859495e-05, 5.383015e-05, 4.539211e-05,
                    3.412695e-05, 5.141754e-05, 7.112644e-05},
                   2e-6);
  check_correlator(measured(0.02),
                   {3.089112e-04, 1.761815e-04, 2.439791e-04, 1.800286e-04, 1.634964e-04,
                    1.113147e-04, 1.474210e-04, 1.514964e-04},
                   2e-6);
}

TEST_CASE("R5: MILC's clover iterations on a strong field", "[reference]") {
  // MILC, h_dibaryon/test/su3_Hcl_cg.2.sample-out: clov_c 1.1, u0 0.9, periodic, Coulomb gauge,
  // source exp(-(r/r0)^2) at t = 0, even sites' complement, until |r| < T |b'|: iterations and the
  // |r|/|b'| at the end, by column (colour outer, spin inner). MILC's c_sw is clov_c/u0^3. Its run
  // was in single precision, and prints two digits.
  const auto gauge = configuration("lat.sample.l4448.gf");
  if (!gauge) return;
  struct Published {
    double kappa, r0, tolerance;
    std::array<int, 12> iterations;
    std::array<double, 12> residuals;
  };
  const Published heavy{0.1,
                        1,
                        1e-5,
                        {17, 17, 17, 17, 17, 17, 17, 17, 17, 16, 17, 17},
                        {5.7e-6, 5.3e-6, 6.1e-6, 5.4e-6, 5.7e-6, 5.9e-6, 5.0e-6, 6.0e-6, 5.2e-6,
                         9.0e-6, 5.1e-6, 5.5e-6}};
  const Published light{0.11,
                        1.5,
                        5e-6,
                        {24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24, 24},
                        {4.2e-6, 3.9e-6, 4.9e-6, 4.5e-6, 4.1e-6, 4.5e-6, 4.1e-6, 4.5e-6, 4.0e-6,
                         3.1e-6, 4.2e-6, 4.3e-6}};
  for (const Published& want : {heavy, light}) {
    std::array<int, 12> iterations{};
    std::array<double, 12> residuals{};
    on_grid({2, 2, 2}, [&] {
      using dirac::Targets;
      GridNode node(*gauge);
      const dirac::Geometry& g = node.geometry;
      dirac::Reducer reduce(dirac::SumKind::Reproducible, node.clock);
      dirac::Linear<double> linear(node.clock, reduce);
      const auto links = dirac::fermion_links<double>(g, node.links, {1, 1, 1, 1});
      dirac::HoppingTerm<double> hop(g, links, node.clock, {Targets::Even, Targets::Odd});
      dirac::LinkShift shift(g);
      dirac::CloverTerm<double> term(shift, node.links, want.kappa, 1.1 / (0.9 * 0.9 * 0.9),
                                     node.clock);
      dirac::PreconditionedMatrix<double> m(hop, term, linear, Targets::Even, 0.5);
      for (std::size_t column = 0; column < 12; ++column) {
        dirac::WholeField<double> source;
        for (int parity = 0; parity < 2; ++parity) {
          for (int i = 0; i < g.parity_count(parity); ++i) {
            const Coordinates x = g.global_place(g.parity_begin(parity) + i);
            source.half[parity].emplace_back();
            double r2 = 0;
            for (std::size_t mu = 0; mu < 3; ++mu) {
              const int d = std::min(x[mu], 4 - x[mu]);
              r2 += d * d;
            }
            const int spin = static_cast<int>(column % 4), colour = static_cast<int>(column / 4);
            if (x[3] == 0)
              source.half[parity].back().at(spin, colour, 0) = std::exp(-r2 / (want.r0 * want.r0));
          }
        }
        dirac::SpinorField<double> x;
        const auto solved = dirac::solve_cg_residual(
            m, linear, x, m.prepare(source),
            {.tolerance = want.tolerance, .max_iterations = 100, .progress = {}});
        if (!QMP_is_primary_node()) continue;
        iterations[column] = solved.iterations;
        residuals[column] = std::sqrt(solved.history.back() / solved.history.front());
      }
    });
    CHECK(iterations == want.iterations);
    double mean = 0;
    for (std::size_t column = 0; column < 12; ++column) {
      CAPTURE(column, residuals[column], want.residuals[column]);
      const double difference = std::fabs(residuals[column] / want.residuals[column] - 1);
      CHECK(difference < 0.2);
      mean += difference / 12;
    }
    CHECK(mean < 0.04);
  }
}
