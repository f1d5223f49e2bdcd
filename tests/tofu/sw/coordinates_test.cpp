// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/ranks/coordinates.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "sw/host/errors.hpp"
#include "sw/tofu/links.hpp"

using namespace ht::tofu;

TEST_CASE("Tofu coordinates in a packet: {c, b, a, z, y, x}") {
  const Coordinates c{{3, 17, 31, 1, 2, 1}};
  CHECK(c.address() == (1U << 18 | 2U << 16 | 1U << 15 | 31U << 10 | 17U << 5 | 3U));
  CHECK(Coordinates::from_address(c.address()) == c);
  CHECK(text(c) == "(3,17,31 1,2,1)");
}

TEST_CASE(
    "Nodes of a Tofu machine are numbered one to one, and hops are those of breadth-first search") {
  for (const Shape& shape : {Shape{{3, 1, 2, 2, 3, 2}, {true, true, true}},
                             Shape{{5, 4, 1, 2, 1, 1}, {true, true, true}},
                             Shape{{5, 2, 1, 1, 3, 2}, {false, true, true}}}) {
    std::set<std::uint32_t> seen;
    for (int n = 0; n < shape.nodes(); ++n) {
      const Coordinates c = shape.place(n);
      CHECK(shape.contains(c));
      CHECK(shape.node(c) == n);
      seen.insert(c.address());
    }
    CHECK(static_cast<int>(seen.size()) == shape.nodes());

    // Distances from node 1 by walking links.
    std::vector<int> distance(static_cast<std::size_t>(shape.nodes()), -1);
    std::vector<int> front{1};
    distance[1] = 0;
    for (std::size_t i = 0; i < front.size(); ++i) {
      const Coordinates here = shape.place(front[i]);
      for (std::size_t axis = 0; axis < 6; ++axis) {
        for (const int step : {1, -1}) {
          Coordinates there = here;
          const int length = shape.length[axis];
          there.at[axis] += step;
          const bool ring = axis == 4 || (axis < 3 && shape.ring[axis]);
          if (ring) there.at[axis] = (there.at[axis] + length) % length;
          if (!shape.contains(there)) continue;
          auto& d = distance[static_cast<std::size_t>(shape.node(there))];
          if (d >= 0) continue;
          d = distance[static_cast<std::size_t>(front[i])] + 1;
          front.push_back(shape.node(there));
        }
      }
    }
    for (int n = 0; n < shape.nodes(); ++n)
      CHECK(shape.hops(shape.place(1), shape.place(n)) == distance[static_cast<std::size_t>(n)]);
  }
}

TEST_CASE("Tofu shapes: register, smallest machine, refusals") {
  const Shape shape{{4, 5, 6, 2, 3, 2}, {true, false, true}};
  CHECK(shape.register_value() ==
        (5U << 24 | 1U << 18 | 2U << 16 | 1U << 15 | 5U << 10 | 4U << 5 | 3U));
  CHECK(Shape::for_nodes(1).nodes() == 1);
  CHECK(Shape::for_nodes(2).length == std::array<int, 6>{1, 1, 1, 2, 1, 1});
  CHECK(Shape::for_nodes(12).length == std::array<int, 6>{1, 1, 1, 2, 3, 2});
  CHECK(Shape::for_nodes(64).nodes() == 96);  // 2 x 2 x 2 groups
  CHECK_THROWS_AS(Shape::for_nodes(0), ht::UsageError);
  CHECK_THROWS_AS((Shape{{33, 1, 1, 1, 1, 1}, {}}.check()), ht::UsageError);
  CHECK_THROWS_AS((Shape{{1, 1, 1, 1, 4, 1}, {}}.check()), ht::UsageError);
  CHECK_THROWS_AS(shape.place(shape.nodes()), ht::UsageError);
}

TEST_CASE("Tofu cables: both ends agree, and there are as many as axes have neighbours") {
  for (const Shape& shape : {Shape{{3, 1, 2, 2, 3, 2}, {true, true, true}},
                             Shape{{5, 4, 1, 2, 1, 1}, {true, true, true}},
                             Shape{{5, 2, 1, 1, 2, 2}, {false, true, true}}}) {
    int ends = 0;
    for (int n = 0; n < shape.nodes(); ++n) {
      const Coordinates here = shape.place(n);
      for (int link = 0; link < links_per_node; ++link) {
        const auto there = shape.neighbour(here, link);
        if (!there) continue;
        ++ends;
        REQUIRE(shape.contains(*there));
        CHECK(shape.hops(here, *there) == 1);
        const auto back = shape.neighbour(*there, far_link(link));
        REQUIRE(back);
        CHECK(*back == here);
      }
    }
    // A ring of n has n cables, a mesh n - 1, A and C one; a cable has two ends.
    int cables = 0;
    for (std::size_t axis = 0; axis < 6; ++axis) {
      const int n = shape.length[axis];
      const bool ring = axis < 3 ? shape.ring[axis] : axis == 4 && n > 2;
      if (n > 1) cables += (ring ? n : n - 1) * (shape.nodes() / n);
    }
    CHECK(ends == 2 * cables);
  }
}
