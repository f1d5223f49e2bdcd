// SPDX-License-Identifier: Apache-2.0
// Jobs of every operator and solver: what they leave is put into the textbook's matrix, and is the
// same to the bit on any node grid.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>

#include "sw/host/errors.hpp"
#include "tests/dirac/on_grid.hpp"
#include "tests/dirac/textbook_operators.hpp"

using namespace ht;
using namespace ht::test;
using dirac::FieldKind;
using dirac::JobSpec;
using dirac::OperatorKind;
using dirac::SolverKind;

namespace {

constexpr std::array<OperatorKind, 5> kOperators = {OperatorKind::Wilson, OperatorKind::Clover,
                                                    OperatorKind::Staggered, OperatorKind::Asqtad,
                                                    OperatorKind::DomainWall};

JobSpec job(OperatorKind kind, const Coordinates& lattice) {
  JobSpec spec;
  spec.lattice = lattice;
  spec.gauge = std::make_shared<GlobalGauge>(dirac::generate_gauge(FieldKind::Hot, 11, lattice));
  spec.fermions = {
      .kind = kind, .kappa = 0.12, .csw = 1.3, .mass = 0.2, .u0 = 0.9, .length = 4, .m5 = 1.6};
  spec.source.position = {1, 0, 2, 3};
  spec.columns = 1;
  return spec;
}

std::vector<double> reals(const std::vector<std::byte>& bytes) {
  std::vector<double> out(bytes.size() / sizeof(double));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

TextField spinors(const std::vector<double>& x) {
  TextField out(x.size() / 24);
  for (std::size_t i = 0; i < x.size(); i += 2)
    out[i / 24][i % 24 / 6][i % 6 / 2] = {x[i], x[i + 1]};
  return out;
}

TextColourField colours(const std::vector<double>& x) {
  TextColourField out(x.size() / 6);
  for (std::size_t i = 0; i < x.size(); i += 2) out[i / 6][i % 6 / 2] = {x[i], x[i + 1]};
  return out;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b,
                          double factor = 1) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::fabs(a[i] - factor * b[i]));
  return worst;
}

}  // namespace

TEST_CASE("solutions of jobs satisfy the textbook's equation", "[job][operators]") {
  const Coordinates lattice{4, 4, 4, 4};
  const std::size_t point = 1 + 16 * 2 + 64 * 3;
  for (const OperatorKind kind :
       {OperatorKind::Clover, OperatorKind::Staggered, OperatorKind::Asqtad}) {
    JobSpec spec = job(kind, lattice);
    spec.columns = spec.fermions.columns();
    const bool asqtad = kind == OperatorKind::Asqtad;
    const Finished run = run_job(spec, {1, 1, 1, asqtad ? 1 : 2});
    CAPTURE(dirac::describe(spec.fermions));
    CHECK(run.result.columns.back().true_residual < 1e-10);
    const std::vector<double> all = reals(run.solution);
    const std::size_t size = all.size() / static_cast<std::size_t>(spec.columns);
    std::vector<double> correlator(4);
    for (int column = 0; column < spec.columns; ++column) {
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(size) * column;
      const std::vector<double> x(begin, begin + static_cast<std::ptrdiff_t>(size));
      for (std::size_t i = 0; i < size; ++i) correlator[i / (size / 4)] += x[i] * x[i];
      if (spec.fermions.staggered()) {
        TextColourField b = textbook_staggered(*spec.gauge, spec.boundary,
                                               asqtad ? TextAction::Asqtad : TextAction::OneLink,
                                               spec.fermions.u0, colours(x));
        for (std::size_t i = 0; i < b.size(); ++i) {
          for (std::size_t c = 0; c < 3; ++c) {
            b[i][c] += 2 * spec.fermions.mass * colours(x)[i][c];
            const bool source = i == point && static_cast<int>(c) == column;
            CHECK(std::abs(b[i][c] - (source ? 1.0 : 0.0)) < 1e-10);
          }
          if (i > 40 && i != point) i += 12;  // a sample of the rest
        }
        continue;
      }
      const TextField psi = spinors(x);
      TextField b = textbook_clover(*spec.gauge, spec.fermions.kappa, spec.fermions.csw, psi);
      const TextField hopped = textbook_hop(*spec.gauge, spec.boundary, 1, psi);
      double worst = 0;
      for (std::size_t i = 0; i < b.size(); ++i) {
        for (std::size_t s = 0; s < 4; ++s) {
          for (std::size_t c = 0; c < 3; ++c) {
            const bool source = i == point && static_cast<int>(4 * c + s) == column;
            worst = std::max(worst,
                             std::abs(b[i][s][c] - hopped[i][s][c] / 2.0 - (source ? 1.0 : 0.0)));
          }
        }
      }
      CHECK(worst < 1e-10);
    }
    for (std::size_t t = 0; t < 4; ++t)
      CHECK(std::fabs(run.result.correlator[t] / correlator[t] - 1) < 1e-12);
  }
}

TEST_CASE("the quark of a fifth dimension of one site is Wilson's", "[job][operators]") {
  JobSpec wall = job(OperatorKind::DomainWall, {4, 4, 2, 4});
  wall.source.position = {0, 1, 0, 2};
  wall.columns = 4;
  wall.fermions.length = 1;
  JobSpec wilson = wall;
  wilson.fermions.kind = OperatorKind::Wilson;
  wilson.fermions.kappa = 1 / (2 * (5 - wall.fermions.m5 + wall.fermions.mass));
  CHECK(largest_difference(reals(run_job(wall, {2}).solution),
                           reals(run_job(wilson, {2}).solution)) < 1e-11);
}

TEST_CASE("the quark of two far walls without mass is chiral", "[job][operators]") {
  // Without field and mass, the propagator changes sign with gamma_5 on both sides: from spins 0
  // and 1 it goes to spins 2 and 3 alone, up to what tunnels between the walls.
  const auto wrong_chirality = [](int length, double* right) {
    JobSpec spec = job(OperatorKind::DomainWall, {4, 4, 4, 4});
    spec.gauge =
        std::make_shared<GlobalGauge>(dirac::generate_gauge(FieldKind::Unit, 1, {4, 4, 4, 4}));
    spec.fermions.length = length;
    spec.fermions.mass = 0;
    spec.fermions.m5 = 1;
    const std::vector<double> q = reals(run_job(spec, {2, 2}).solution);
    double wrong = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      double& largest = i % 24 < 12 ? wrong : *right;
      largest = std::max(largest, std::fabs(q[i]));
    }
    return wrong;
  };
  double right = 0;
  CHECK(wrong_chirality(4, &right) > 1e-4);
  CHECK(wrong_chirality(24, &right) < 1e-6);
  CHECK(right > 0.04);
}

TEST_CASE("every operator and solver gives the same bits on any node grid", "[job][operators]") {
  const Coordinates lattice{12, 6, 6, 6};
  for (const OperatorKind kind : kOperators) {
    for (const SolverKind solver :
         {SolverKind::EvenOdd, SolverKind::MultiShift, SolverKind::Mixed}) {
      JobSpec spec = job(kind, lattice);
      spec.gauge = nullptr;  // made by each node
      spec.field = FieldKind::Weak;
      spec.fermions.length = 3;
      spec.solver = solver;
      spec.tolerance = 1e-5;
      if (solver == SolverKind::MultiShift) spec.shifts = {0.3, 0, 1.5};
      CAPTURE(dirac::describe(spec.fermions), static_cast<int>(solver));
      const Finished one = run_job(spec, {1});
      for (const std::vector<int>& grid :
           {std::vector{2, 2, 2}, std::vector{3, 1, 2}, std::vector{4, 1, 1, 2}}) {
        const Finished many = run_job(spec, grid);
        CHECK(many.solution == one.solution);
        CHECK(many.result.correlator == one.result.correlator);
        CHECK(many.result.columns.size() == one.result.columns.size());
        CHECK(many.result.columns[0].true_residual == one.result.columns[0].true_residual);
      }
    }
  }
}

TEST_CASE("mixed precision and shifts solve what plain CG solves", "[job][operators]") {
  const Coordinates lattice{4, 4, 4, 4};
  for (const OperatorKind kind : kOperators) {
    JobSpec spec = job(kind, lattice);
    CAPTURE(dirac::describe(spec.fermions));
    const Finished plain = run_job(spec, {1});
    spec.solver = SolverKind::Mixed;
    const Finished mixed = run_job(spec, {1});
    CHECK(mixed.result.converged());
    CHECK(mixed.result.columns[0].updates > 1);
    CHECK(mixed.result.columns[0].true_residual < 1e-10);
    CHECK(largest_difference(reals(mixed.solution), reals(plain.solution)) < 1e-10);
    if (kind == OperatorKind::DomainWall) continue;  // its solution is that of the walls only
    spec.solver = SolverKind::MultiShift;
    spec.shifts = {0.5, 0};
    const Finished shifts = run_job(spec, {1});
    REQUIRE(shifts.result.columns.size() == 2);
    CHECK(shifts.result.columns[0].shift == 0.5);
    CHECK(shifts.result.columns[0].iterations < shifts.result.columns[1].iterations);
    CHECK(shifts.result.correlator.empty());
    for (const dirac::ColumnResult& c : shifts.result.columns) CHECK(c.true_residual < 1e-11);
    // Odd sites of the second, whose shift is 0; its even sites hold nothing.
    const std::vector<double> x = reals(shifts.solution), whole = reals(plain.solution);
    const std::size_t site = static_cast<std::size_t>(spec.fermions.site_reals());
    double worst = 0;
    for (std::size_t i = 0; i < whole.size(); ++i) {
      const Coordinates at = dirac::coordinates_of(static_cast<std::int64_t>(i / site), lattice);
      const bool odd = (at[0] + at[1] + at[2] + at[3]) % 2 == 1;
      worst = std::max(worst, std::fabs(x[whole.size() + i] - (odd ? whole[i] : 0)));
    }
    CHECK(worst < 1e-10);
  }
}

TEST_CASE("jobs refuse what an operator or a solver cannot do", "[job][operators]") {
  const auto refused = [](auto change, const std::string& what) {
    JobSpec spec;
    change(spec);
    CHECK_THROWS_WITH(dirac::validate(spec), Catch::Contains(what));
    CHECK_THROWS_AS(dirac::validate(spec), UsageError);
  };
  const auto with = [&](OperatorKind kind, auto change, const std::string& what) {
    refused(
        [&](JobSpec& s) {
          s.fermions.kind = kind;
          change(s);
        },
        what);
  };
  with(
      OperatorKind::Asqtad, [](JobSpec& s) { s.node_grid = {2}; },
      "Naik's term reaches three sites, and a node has 2 along x");
  with(
      OperatorKind::Asqtad, [](JobSpec& s) { s.fermions.u0 = 0; }, "u0 0");
  with(
      OperatorKind::Staggered, [](JobSpec& s) { s.fermions.mass = 0; }, "mass 0");
  with(
      OperatorKind::Staggered, [](JobSpec& s) { s.columns = 4; }, "1 to 3");
  with(
      OperatorKind::DomainWall, [](JobSpec& s) { s.fermions.length = 0; }, "Ls 0");
  with(
      OperatorKind::DomainWall, [](JobSpec& s) { s.fermions.m5 = 5; }, "M5 5");
  with(
      OperatorKind::DomainWall, [](JobSpec& s) { s.fermions.mass = 1; }, "mass 1");
  with(
      OperatorKind::Clover, [](JobSpec& s) { s.fermions.csw = NAN; }, "csw nan");
  with(
      OperatorKind::Clover, [](JobSpec& s) { s.solver = SolverKind::Full; }, "full solver");
  refused([](JobSpec& s) { s.solver = SolverKind::MultiShift; }, "1 to 64 shifts");
  refused([](JobSpec& s) { s.shifts = {0}; }, "multi-shift solver");
  refused(
      [](JobSpec& s) {
        s.solver = SolverKind::MultiShift;
        s.shifts = {-1};
      },
      "shift -1");
  refused(
      [](JobSpec& s) {
        s.solver = SolverKind::Mixed;
        s.precision = dirac::Precision::Single;
      },
      "in double");
  // A grid that only the machine knows.
  JobSpec asqtad;
  asqtad.fermions.kind = OperatorKind::Asqtad;
  CHECK_THROWS_WITH(run_job(asqtad, {2}), Catch::Contains("Naik's term"));
}

TEST_CASE("a node's memory follows from links, matrices and vectors", "[job][operators]") {
  // By hand, a site of 2^4 in double: links 576 bytes, and twice that in the hopping term; six and
  // a half spinors of 192; of the clover term 6 x 144 and 2 x 576 more.
  JobSpec spec;
  spec.lattice = {4, 4, 4, 4};
  spec.node_grid = {2, 2, 2, 2};
  CHECK(dirac::bytes_of_node(spec) == 16 * (3 * 576 + 6.5 * 192));
  spec.fermions.kind = OperatorKind::Clover;
  CHECK(dirac::bytes_of_node(spec) == 16 * (3 * 576 + 6.5 * 192 + 6 * 144 + 2 * 576));
  spec.fermions.kind = OperatorKind::DomainWall;
  spec.fermions.length = 16;
  CHECK(dirac::bytes_of_node(spec) == 16 * (3 * 576 + 16 * 6.5 * 192));
  spec.lattice = {128, 128, 128, 128};
  CHECK(dirac::bytes_of_node(spec) == 4096 * 4096.0 * (3 * 576 + 16 * 6.5 * 192));
  spec.fermions.kind = OperatorKind::Asqtad;
  spec.lattice = {2, 2, 2, 2};
  spec.node_grid = {};
  CHECK(dirac::bytes_of_node(spec) == 16 * (4 * 144 + 24 * 144 + 16 * 144 + 6.5 * 48));
}
