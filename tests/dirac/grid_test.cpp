// SPDX-License-Identifier: Apache-2.0
// Every node grid gives the same bits.
#include <fmt/ranges.h>
#include <catch2/catch.hpp>

#include "tests/dirac/on_grid.hpp"

using namespace ht;
using namespace ht::test;
using dirac::JobSpec;
using dirac::Precision;
using dirac::SolverKind;

namespace {

using Grids = std::vector<std::vector<int>>;

/// Runs on one node and on all grids, and compares everything that is not time.
void check_grids(const JobSpec& spec, const Grids& grids) {
  const Finished one = run_job(spec, {1});
  REQUIRE(one.result.converged());
  for (const std::vector<int>& grid : grids) {
    INFO("lattice " << dirac::to_string(spec.lattice) << " on "
                    << fmt::format("{}", fmt::join(grid, "x")));
    const Finished many = run_job(spec, grid);
    // In brackets: Catch2 would spell out both solutions, and take minutes over it.
    CHECK((many.solution == one.solution));
    CHECK(many.result.solution_crc32 == one.result.solution_crc32);
    CHECK(many.result.correlator == one.result.correlator);
    CHECK(many.result.plaquette.space_space == one.result.plaquette.space_space);
    CHECK(many.result.plaquette.space_time == one.result.plaquette.space_time);
    REQUIRE(many.result.columns.size() == one.result.columns.size());
    for (std::size_t i = 0; i < one.result.columns.size(); ++i) {
      const dirac::ColumnResult& a = one.result.columns[i];
      const dirac::ColumnResult& b = many.result.columns[i];
      CHECK(a.iterations == b.iterations);
      CHECK(a.history == b.history);
      CHECK(a.true_residual == b.true_residual);
      CHECK(a.source_norm2 == b.source_norm2);
    }
    CHECK(many.result.node_grid == dirac::checked_grid(spec.lattice, grid));
  }
}

}  // namespace

TEST_CASE("grids of the main job's lattice give the same bits", "[grid]") {
  JobSpec spec;
  spec.field = dirac::FieldKind::Hot;
  const Grids grids = {{2, 1, 1},    {2, 2, 1},    {2, 2, 2},    {4, 2, 1},
                       {2, 2, 2, 2}, {1, 1, 1, 4}, {4, 1, 4, 1}, {1, 4, 1, 8}};
  SECTION("double, even-odd") {
    check_grids(spec, grids);
  }
  SECTION("single, even-odd") {
    spec.precision = Precision::Single;
    check_grids(spec, grids);
  }
  SECTION("double, full, Gaussian source, two columns") {
    spec.solver = SolverKind::Full;
    spec.source = {.gaussian = true, .position = {3, 1, 2, 6}, .width = 2.0, .iterations = 5};
    spec.columns = 5;
    check_grids(spec, {{2, 2, 2}, {4, 2, 1}, {2, 2, 2, 2}});
  }
  SECTION("single, full") {
    spec.precision = Precision::Single;
    spec.solver = SolverKind::Full;
    spec.boundary = {-1, 1, 1, 0};
    check_grids(spec, {{2, 2, 2}, {4, 2, 1}});
  }
}

TEST_CASE("odd local extents give the same bits", "[grid]") {
  JobSpec spec;
  spec.field = dirac::FieldKind::Hot;
  spec.lattice = {6, 2, 6, 10};
  check_grids(spec, {{2, 1, 2, 2}, {6, 2, 1, 1}, {2, 2, 2, 10}});
}

TEST_CASE("odd lattices give the same bits with the full solver", "[grid]") {
  JobSpec spec;
  spec.field = dirac::FieldKind::Hot;
  spec.solver = SolverKind::Full;
  spec.lattice = {3, 5, 1, 6};
  spec.source.position = {2, 4, 0, 5};
  check_grids(spec, {{3, 1, 1}, {1, 5, 1, 2}, {3, 5, 1, 6}});
}

TEST_CASE("a weak field with interior sites gives the same bits", "[grid]") {
  JobSpec spec;
  spec.lattice = {8, 8, 8, 8};
  check_grids(spec, {{2, 1, 1}, {2, 2, 1}, {2, 2, 2}});
}

TEST_CASE("every node a single site", "[grid]") {
  JobSpec spec;
  spec.field = dirac::FieldKind::Hot;
  spec.lattice = {2, 4, 2, 2};
  check_grids(spec, {{2, 4, 2, 2}, {1, 4, 2, 1}});
}
