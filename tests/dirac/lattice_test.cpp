// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/lattice.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "sw/host/errors.hpp"

using namespace ht;
using dirac::Coordinates;
using dirac::Geometry;

TEST_CASE("nodes share out the lattice", "[lattice]") {
  struct Case {
    Coordinates lattice;
    std::vector<int> grid;
  };
  for (const Case& c : {Case{{4, 4, 4, 8}, {1}}, Case{{4, 4, 4, 8}, {2, 2, 2}},
                        Case{{6, 2, 4, 6}, {2, 2, 1, 3}}, Case{{3, 5, 1, 2}, {3, 1, 1, 2}}}) {
    const Coordinates grid = dirac::checked_grid(c.lattice, c.grid);
    std::set<std::int64_t> seen;
    int even = 0;
    for (std::int64_t n = 0; n < dirac::volume_of(grid); ++n) {
      const Coordinates node = dirac::coordinates_of(n, grid);
      const Geometry g(c.lattice, c.grid, node);
      CHECK(g.parity_count(0) + g.parity_count(1) == g.volume());
      for (int site = 0; site < g.volume(); ++site) {
        const Coordinates x = g.global_place(site);
        CHECK(seen.insert(g.global_index(site)).second);
        CHECK(g.site_of_global(x) == site);
        const int parity = (x[0] + x[1] + x[2] + x[3]) % 2;
        CHECK((site >= g.parity_begin(parity) &&
               site < g.parity_begin(parity) + g.parity_count(parity)));
      }
      even += g.parity_count(0);
    }
    CHECK(static_cast<std::int64_t>(seen.size()) == dirac::volume_of(c.lattice));
    CHECK(even == static_cast<int>((dirac::volume_of(c.lattice) + 1) / 2));
  }
}

TEST_CASE("faces of neighbours match in order and number", "[lattice]") {
  const Coordinates lattice{6, 2, 4, 6};
  const std::vector<int> shape{2, 2, 1, 3};
  const Coordinates grid = dirac::checked_grid(lattice, shape);
  for (std::int64_t n = 0; n < dirac::volume_of(grid); ++n) {
    const Coordinates node = dirac::coordinates_of(n, grid);
    const Geometry here(lattice, shape, node);
    for (int d = 0; d < dirac::kDirections; ++d) {
      const auto axis = static_cast<std::size_t>(d / 2);
      const int step = d % 2 == 0 ? 1 : -1;
      Coordinates next = node;
      next[axis] = (next[axis] + step + grid[axis]) % grid[axis];
      const Geometry there(lattice, shape, next);
      const std::vector<int> mine = here.face(d), its = there.face(d ^ 1);
      CHECK(mine.empty() == (grid[axis] == 1));
      REQUIRE(mine.size() == its.size());
      for (std::size_t i = 0; i < mine.size(); ++i) {
        Coordinates x = here.global_place(mine[i]);
        x[axis] = (x[axis] + step + lattice[axis]) % lattice[axis];
        CHECK(there.global_place(its[i]) == x);
      }
    }
  }
}

TEST_CASE("grids that do not divide are refused", "[lattice]") {
  using Catch::Contains;
  CHECK_THROWS_WITH(dirac::checked_grid({4, 4, 6, 8}, std::vector{2, 2, 4}),
                    Contains("lattice 4x4x6x8") && Contains("z extent 6") && Contains("4 nodes") &&
                        Contains("; "));
  CHECK_THROWS_AS(dirac::checked_grid({4, 4, 4, 8}, std::vector{8}), UsageError);
  CHECK_THROWS_AS(dirac::checked_grid({4, 4, 4, 8}, std::vector{0}), UsageError);
  CHECK_THROWS_AS(dirac::checked_grid({4, 0, 4, 8}, std::vector{1}), UsageError);
  CHECK_THROWS_AS(dirac::checked_grid({4, 4, 4, 8}, std::vector{1, 1, 1, 1, 2}), UsageError);
  CHECK_NOTHROW(dirac::checked_grid({4, 4, 4, 8}, std::vector{1, 1, 1, 1, 1}));
}
