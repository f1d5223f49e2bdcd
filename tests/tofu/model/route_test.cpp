// SPDX-License-Identifier: Apache-2.0
// The route function against the paper's words and a search for shortest ways.
#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

#include "verif/model/tofu/route.hpp"

using namespace ht::model::tofu;

namespace {

Shape shape_of(Coordinates length, std::array<bool, 3> ring = {}) {
  return Shape{length, ring};
}

unsigned distance(unsigned length, bool ring, unsigned a, unsigned b) {
  const unsigned d = a > b ? a - b : b - a;
  return ring && length - d < d ? length - d : d;
}

// The axes in the order in which a packet goes along them, hop by hop.
std::vector<unsigned> axes_of(const Shape& shape, Journey journey) {
  std::vector<unsigned> axes;
  Coordinates here = journey.from;
  while (const auto hop = next_hop(shape, here, journey)) {
    axes.push_back(axis_of(hop->port));
    journey.leg = hop->leg;
    here = neighbour(shape, here, hop->port).value();
    REQUIRE(axes.size() < 200);
  }
  REQUIRE(here == journey.to);
  return axes;
}

}  // namespace

TEST_CASE("tofu: the extended dimension order is B C A X Y Z A C B") {
  const Shape shape = shape_of({4, 5, 2, 2, 3, 2}, {true, false, false});
  // Everything has to change twice: the first leg leads to the opposite of where from and to are.
  const Journey journey{{0, 0, 0, 0, 0, 0}, {1, 2, 1, 0, 1, 0}, {0, 0, 0, 1, 2, 1}, false};
  CHECK(axes_of(shape, journey) == std::vector<unsigned>{B, C, A, X, Y, Y, Z, A, C, B});
}

TEST_CASE("tofu: every node is reached from every other on all twelve paths by shortest legs") {
  for (const Shape& shape :
       {shape_of({3, 2, 1, 2, 3, 2}, {true, true, true}), shape_of({1, 3, 3, 2, 3, 2}),
        shape_of({5, 1, 4, 2, 1, 1}, {true, false, true}), shape_of({4, 1, 1, 1, 2, 2})}) {
    INFO(shape.name());
    for (unsigned from = 0; from < shape.nodes(); ++from)
      for (unsigned to = 0; to < shape.nodes(); ++to)
        for (unsigned path = 0; path < 12; ++path) {
          Journey j{shape.place(from), shape.place(to), {}, false};
          j.path[A] = path % 2, j.path[B] = path / 2 % 3, j.path[C] = path / 6;
          if (!is_valid(shape, j, 0)) continue;
          unsigned hops = 0;
          for (const unsigned axis : {A, B, C})
            hops += distance(shape.length[axis], axis == B, j.from[axis], j.path[axis]) +
                    distance(shape.length[axis], axis == B, j.path[axis], j.to[axis]);
          for (const unsigned axis : {X, Y, Z})
            hops += distance(shape.length[axis], shape.ring[axis], j.from[axis], j.to[axis]);
          REQUIRE(axes_of(shape, j).size() == hops);
        }
  }
}

TEST_CASE("tofu: a ring of three boards has one hop, and channels are those of the legs") {
  const Shape shape = shape_of({1, 1, 1, 2, 3, 2});
  const Journey journey{{0, 0, 0, 0, 2, 0}, {0, 0, 0, 1, 0, 0}, {0, 0, 0, 0, 0, 1}, false};
  auto hop = next_hop(shape, journey.from, journey);
  REQUIRE(hop.has_value());
  CHECK((hop->port == BPlus && hop->channel == 0 && !hop->leg));  // 2 to 0
  hop = next_hop(shape, {0, 0, 0, 0, 0, 0}, journey);
  REQUIRE(hop.has_value());
  CHECK((hop->port == CPort && hop->channel == 0 && !hop->leg));
  hop = next_hop(shape, {0, 0, 0, 0, 0, 1}, journey);
  REQUIRE(hop.has_value());
  CHECK((hop->port == APort && hop->channel == 1 && hop->leg));
  // The first leg is done: C goes back, whatever PATH says.
  Journey second = journey;
  second.leg = true;
  hop = next_hop(shape, {0, 0, 0, 1, 0, 1}, second);
  REQUIRE(hop.has_value());
  CHECK((hop->port == CPort && hop->channel == 1 && hop->leg));
  CHECK_FALSE(next_hop(shape, {0, 0, 0, 1, 0, 0}, second).has_value());
}

TEST_CASE("tofu: the dateline of a ring") {
  // 3 to 1 on a ring of 5: forwards over the cable from 4 to 0, on channel 0 up to there.
  CHECK(axis_step(X, 5, true, 3, 3, 0).channel == 0);
  CHECK(axis_step(X, 5, true, 3, 4, 0).channel == 0);
  CHECK(axis_step(X, 5, true, 3, 4, 1).plus);
  CHECK(axis_step(X, 5, true, 3, 0, 1).channel == 1);
  // 1 to 3 backwards on a ring of 4, since 1 is odd; 0 to 2 forwards.
  CHECK_FALSE(axis_step(Y, 4, true, 1, 1, 3).plus);
  CHECK(axis_step(Y, 4, true, 1, 1, 3).channel == 0);
  CHECK(axis_step(Y, 4, true, 1, 0, 3).channel == 0);
  CHECK(axis_step(Y, 4, true, 0, 0, 2).plus);
  // A mesh spreads over both.
  CHECK(axis_step(Z, 5, false, 0, 0, 4).channel == 0);
  CHECK(axis_step(Z, 5, false, 4, 2, 1).channel == 1);
}

TEST_CASE("tofu: neighbours are mutual, meshes end") {
  const Shape shape = shape_of({3, 4, 1, 2, 3, 1}, {false, true, false});
  for (unsigned node = 0; node < shape.nodes(); ++node)
    for (unsigned port = 0; port < links; ++port) {
      const Coordinates here = shape.place(node);
      const auto there = neighbour(shape, here, port);
      const unsigned axis = axis_of(port);
      const bool end = axis == X && here[X] == (port == XPlus ? 2U : 0U);
      REQUIRE(there.has_value() == (axis != Z && axis != C && !end));
      if (!there) continue;
      REQUIRE(*there != here);
      REQUIRE(neighbour(shape, *there, opposite(port)) == here);
    }
}

TEST_CASE("tofu: what is not offered is refused, what is not in the torus is not valid") {
  CHECK_NOTHROW(check(shape_of({32, 1, 32, 2, 3, 2})));
  CHECK_THROWS_AS(check(shape_of({33, 1, 1, 1, 1, 1})), std::invalid_argument);
  CHECK_THROWS_AS(check(shape_of({1, 1, 1, 1, 4, 1})), std::invalid_argument);
  CHECK_THROWS_AS(check(shape_of({1, 0, 1, 1, 1, 1})), std::invalid_argument);
  const Shape shape = shape_of({3, 1, 2, 2, 2, 1});
  CHECK(is_valid(shape, {{}, {2, 0, 1, 1, 1, 0}, {9, 9, 9, 1, 1, 0}, false}, 4));
  CHECK_FALSE(is_valid(shape, {{}, {3, 0, 1, 1, 1, 0}, {}, false}, 0));
  CHECK_FALSE(is_valid(shape, {{}, {2, 0, 1, 1, 1, 0}, {0, 0, 0, 0, 2, 0}, false}, 0));
  CHECK_FALSE(is_valid(shape, {{}, {2, 0, 1, 1, 1, 0}, {0, 0, 0, 0, 0, 1}, false}, 0));
  CHECK_FALSE(is_valid(shape, {{}, {2, 0, 1, 1, 1, 0}, {}, false}, 5));
}

TEST_CASE("tofu: fields as in the header") {
  CHECK(pack({1, 2, 3, 1, 2, 1}) == (1U | 2U << 5 | 3U << 10 | 1U << 15 | 2U << 16 | 1U << 18));
  CHECK(pack_path({9, 9, 9, 1, 2, 1}) == 0b1101);
  CHECK(shape_of({3, 1, 2, 2, 3, 1}, {true, false, true}).bits() ==
        (2U | 1U << 10 | 1U << 15 | 2U << 16 | 1U << 24 | 1U << 26));
}
