// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/ranks/rank_map.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <functional>
#include <set>

#include "sw/host/errors.hpp"
#include "sw/tofu/utofu/strip.hpp"

using namespace ht::tofu;

namespace {

/// One cable apart: one coordinate differs, by one or round its ring.
bool adjacent(const Shape& machine, const Coordinates& p, const Coordinates& q) {
  int differing = 0;
  bool one_step = false;
  for (std::size_t axis = 0; axis < 6; ++axis) {
    if (p.at[axis] == q.at[axis]) continue;
    ++differing;
    const int d = std::abs(p.at[axis] - q.at[axis]), length = machine.length[axis];
    const bool ring = axis == 4 ? length == 3 : axis < 3 && machine.ring[axis];
    one_step = d == 1 || (ring && d == length - 1);
  }
  return differing == 1 && one_step;
}

/// What every rank map promises, without asking how it was made.
void check_promises(const RankMap& map) {
  const Shape& machine = map.machine();
  std::size_t expected = 1;
  for (const int length : map.torus()) expected *= static_cast<std::size_t>(length);
  REQUIRE(map.nodes().size() == expected);
  std::set<std::array<int, 6>> seen;
  for (int r = 0; r < map.ranks(); ++r) {
    const Coordinates& node = map.node(r);
    REQUIRE(machine.contains(node));
    REQUIRE(seen.insert(node.at).second);
    REQUIRE(map.rank(node) == r);
    if (map.options().io_nodes && machine.length[2] > 1) REQUIRE(node.at[2] > 0);
    for (const Coordinates& failed : map.options().failed) REQUIRE_FALSE(node == failed);
  }
  // rank = x + Lx (y + Ly z), counted, not computed.
  std::vector<int> place(map.torus().size(), 0);
  for (int r = 0; r < map.ranks(); ++r) {
    REQUIRE(map.position(r) == place);
    for (std::size_t axis = 0; axis < place.size(); ++axis) {
      std::vector<int> next = place;
      next[axis] = place[axis] + 1 < map.torus()[axis] ? place[axis] + 1 : 0;
      const int neighbour = map.rank_at(next);
      REQUIRE(map.neighbour(r, static_cast<int>(axis), true) == neighbour);
      REQUIRE(map.neighbour(neighbour, static_cast<int>(axis), false) == r);
      if (map.torus()[axis] > 1) {
        INFO(map.description() << ": ranks " << r << " and " << neighbour);
        REQUIRE(adjacent(machine, map.node(r), map.node(neighbour)));
      }
    }
    for (std::size_t axis = 0; axis < place.size() && ++place[axis] == map.torus()[axis]; ++axis)
      place[axis] = 0;
  }
}

Shape machine_of(int x, int y, int z, bool rings = false) {
  return {{x, y, z, 2, 3, 2}, {rings, rings, rings}};
}

/// Places a packet comes through, from the paper's words alone (section 3.3).
std::vector<Coordinates> walk_by_hand(const Shape& machine, const Coordinates& from,
                                      const Coordinates& to, const Path& path) {
  std::vector<Coordinates> result{from};
  const auto go = [&](std::size_t axis, int target) {
    const int length = machine.length[axis];
    const bool ring = axis == 4 ? length == 3 : axis < 3 && machine.ring[axis];
    while (result.back().at[axis] != target) {
      Coordinates next = result.back();
      const int ahead = (target - next.at[axis] + length) % length;
      bool plus = target > next.at[axis];
      if (ring) plus = 2 * ahead < length || (2 * ahead == length && next.at[axis] % 2 == 0);
      next.at[axis] = (next.at[axis] + (plus ? 1 : length - 1)) % length;
      result.push_back(next);
    }
  };
  go(4, path[1]);
  go(5, path[2]);
  go(3, path[0]);
  for (const std::size_t axis : {0, 1, 2}) go(axis, to.at[axis]);
  go(3, to.at[3]);
  go(5, to.at[5]);
  go(4, to.at[4]);
  return result;
}

/// Whether a strip has any closed walk of that many nodes that comes through all rows: by trying.
bool some_walk(const Strip& strip, int length) {
  const int nodes = strip.rows * strip.columns;
  const auto joined = [&](int p, int q) {
    const int r = std::abs(p / strip.columns - q / strip.columns),
              c = std::abs(p % strip.columns - q % strip.columns);
    const bool rows = r == 1 || (strip.ring && r == strip.rows - 1);
    return (c == 0 && r > 0 && rows) || (r == 0 && c > 0);  // three columns are a ring
  };
  std::vector<bool> used(static_cast<std::size_t>(nodes), false);
  for (const auto& m : strip.missing)
    used[static_cast<std::size_t>(m[0] * strip.columns + m[1])] = true;
  const std::vector<bool> unusable = used;
  std::vector<int> walk;
  std::function<bool()> extend = [&] {
    if (static_cast<int>(walk.size()) == length) {
      std::set<int> rows;
      for (const int n : walk) rows.insert(n / strip.columns);
      return static_cast<int>(rows.size()) == strip.rows &&
             (length == 1 || joined(walk.back(), walk.front()));
    }
    for (int n = walk.front(); n < nodes; ++n) {  // the first is the lowest
      if (used[static_cast<std::size_t>(n)] || !joined(walk.back(), n)) continue;
      used[static_cast<std::size_t>(n)] = true;
      walk.push_back(n);
      if (extend()) return true;
      walk.pop_back();
      used[static_cast<std::size_t>(n)] = false;
    }
    return false;
  };
  for (int n = 0; n < nodes; ++n) {
    if (unusable[static_cast<std::size_t>(n)]) continue;
    used = unusable;
    used[static_cast<std::size_t>(n)] = true;
    walk = {n};
    if (extend()) return true;
  }
  return false;
}

void check_walk(const Strip& strip, int length, const StripWalk& walk) {
  REQUIRE(static_cast<int>(walk.size()) == length);
  std::set<std::array<int, 2>> seen(walk.begin(), walk.end());
  REQUIRE(seen.size() == walk.size());
  std::set<int> rows;
  for (std::size_t i = 0; i < walk.size(); ++i) {
    rows.insert(walk[i][0]);
    for (const auto& m : strip.missing) REQUIRE(walk[i] != m);
    const auto& next = walk[(i + 1) % walk.size()];
    if (length == 1) continue;
    const Shape both{{strip.rows, 1, 1, 1, strip.columns, 1}, {strip.ring, true, true}};
    REQUIRE(
        adjacent(both, {{walk[i][0], 0, 0, 0, walk[i][1], 0}}, {{next[0], 0, 0, 0, next[1], 0}}));
  }
  REQUIRE(static_cast<int>(rows.size()) == strip.rows);
}

}  // namespace

TEST_CASE("Walks round a strip are found whenever there is one, with up to one node missing") {
  int walks = 0, none = 0;
  for (int columns = 1; columns <= 3; ++columns) {
    for (int rows = 1; rows <= 5; ++rows) {
      for (const bool ring : {false, true}) {
        for (int missing = -1; missing < rows * columns; ++missing) {
          Strip strip{rows, columns, ring, {}};
          if (missing >= 0) strip.missing.push_back({missing / columns, missing % columns});
          for (int length = 1; length <= rows * columns; ++length) {
            INFO(rows << "x" << columns << (ring ? " ring" : "") << ", missing " << missing
                      << ", length " << length);
            const auto walk = walk_round(strip, length);
            if (walk) check_walk(strip, length, *walk);
            // Rows that are a ring have walks of other kinds, which nobody needs.
            const bool other_kind = ring && length != rows && length < 2 * rows;
            if (walk.has_value() != some_walk(strip, length))
              CHECK((!walk && (other_kind || (ring && columns == 2))));
            ++(walk ? walks : none);
          }
        }
      }
    }
  }
  CHECK(walks > 200);
  CHECK(none > 200);
}

TEST_CASE("Walks round a strip of three columns with a node missing in each of two rows") {
  int walks = 0, none = 0;
  for (int rows = 2; rows <= 5; ++rows) {
    for (int p = 0; p < 3 * rows; ++p) {
      for (int q = 3 * (p / 3) + 3; q < 3 * rows; ++q) {
        const Strip strip{rows, 3, false, {{p / 3, p % 3}, {q / 3, q % 3}}};
        for (int length = 2 * rows; length <= 3 * rows - 2; ++length) {
          INFO(rows << " rows without " << p << " and " << q << ", length " << length);
          const auto walk = walk_round(strip, length);
          if (walk) check_walk(strip, length, *walk);
          CHECK(walk.has_value() == some_walk(strip, length));
          ++(walk ? walks : none);
        }
      }
    }
  }
  CHECK(walks > 100);
  CHECK(none > 20);
}

TEST_CASE(
    "Figure 3: a torus of 8 x 12 x 6 on a machine of 4 x 4 x 4 groups takes all its compute "
    "nodes") {
  const Shape machine = machine_of(4, 4, 4);  // Z = 1 to 3 compute
  const RankMap map(machine, {8, 12, 6});
  check_promises(map);
  CHECK(map.ranks() == 4 * 4 * 3 * 12);
  int io = 0;
  for (int n = 0; n < machine.nodes(); ++n) {
    const Coordinates node = machine.place(n);
    CHECK(map.rank(node).has_value() == (node.at[2] != 0));
    io += node.at[2] == 0;
  }
  CHECK(io == 4 * 4 * 12);
  // Each of the user's axes stays in one space: an axis of X, Y, Z with one of A, B, C.
  std::set<std::size_t> used;
  for (int axis = 0; axis < 3; ++axis) {
    std::set<std::size_t> moved;
    for (int r = 0, i = 0; i < map.torus()[static_cast<std::size_t>(axis)]; ++i) {
      const int next = map.neighbour(r, axis, true);
      for (std::size_t a = 0; a < 6; ++a)
        if (map.node(r).at[a] != map.node(next).at[a]) moved.insert(a);
      r = next;
    }
    REQUIRE(moved.size() == 2);
    CHECK(*moved.begin() < 3);
    CHECK(*moved.rbegin() >= 3);
    used.insert(moved.begin(), moved.end());
  }
  CHECK(used.size() == 6);
}

TEST_CASE(
    "A torus of three axes can be had exactly when its lengths go over X, Y, Z with A, B, C") {
  const Shape machine = machine_of(2, 3, 3);
  const std::array<int, 3> rows{2, 3, 2};  // without Z = 0
  int there = 0, refused = 0;
  for (int l0 = 2; l0 <= 10; ++l0) {
    for (int l1 = 2; l1 <= 10; ++l1) {
      for (int l2 = 2; l2 <= 10; ++l2) {
        const std::array<int, 3> length{l0, l1, l2};
        bool possible = false;
        std::array<std::size_t, 3> row{0, 1, 2};
        do {
          for (std::size_t with_b = 0; with_b < 3; ++with_b) {
            bool fits = true;
            for (std::size_t i = 0; i < 3; ++i) {
              const int most = rows[row[i]] * (i == with_b ? 3 : 2);
              fits = fits && length[i] <= most && (i == with_b || length[i] % 2 == 0);
            }
            possible = possible || fits;
          }
        } while (std::next_permutation(row.begin(), row.end()));
        INFO(l0 << "x" << l1 << "x" << l2);
        if (possible) {
          const RankMap map(machine, {l0, l1, l2});
          check_promises(map);
          ++there;
        } else {
          CHECK_THROWS_AS(RankMap(machine, {l0, l1, l2}), ht::UsageError);
          ++refused;
        }
      }
    }
  }
  CHECK(there > 50);
  CHECK(refused > 100);
}

TEST_CASE("Tori of one and two axes, on machines of several shapes") {
  for (const bool rings : {false, true}) {
    const Shape group = machine_of(1, 1, 1, rings);
    for (const int n : {1, 2, 3, 4, 6, 8, 12}) check_promises(RankMap(group, {n}));
    const Shape machine = machine_of(3, 2, 3, rings);
    for (const int n : {5, 7, 9, 10, 14, 24, 30, 36, 72, 96, 144})
      check_promises(RankMap(machine, {n}));
    for (const auto& torus : std::vector<std::vector<int>>{{4, 36},
                                                           {36, 4},
                                                           {24, 6},
                                                           {6, 24},
                                                           {9, 16},
                                                           {16, 9},
                                                           {1, 144},
                                                           {144, 1, 1},
                                                           {1, 1, 1},
                                                           {6, 1, 24},
                                                           {1},
                                                           {5, 8},
                                                           {7, 4}})
      check_promises(RankMap(machine, torus));
  }
  // Axes that are not there, and rings without partners.
  const Shape small{{2, 2, 2, 1, 1, 1}, {true, true, true}};
  check_promises(RankMap(small, {2, 2, 2}, {false, {}}));
  check_promises(RankMap(small, {8}, {false, {}}));
  check_promises(RankMap(Shape{{5, 1, 1, 1, 1, 1}, {true, true, true}}, {5}));
  CHECK_THROWS_AS(RankMap(Shape{{5, 1, 1, 1, 1, 1}, {false, true, true}}, {5}), ht::UsageError);
  CHECK_THROWS_AS(RankMap(small, {2, 2, 2}), ht::UsageError);  // Z = 0 does I/O
}

TEST_CASE("Figure 4: the ranks go round any one failed node through the ring of B") {
  for (const Shape& machine :
       {machine_of(1, 1, 1), machine_of(2, 2, 3), machine_of(1, 3, 1, true)}) {
    const RankMap whole = RankMap::largest(machine);
    check_promises(whole);
    const int rows = machine.length[2] > 1 ? machine.length[2] - 1 : 1;
    CHECK(whole.torus() ==
          std::vector<int>{2 * machine.length[0], 3 * machine.length[1], 2 * rows});
    for (int n = 0; n < machine.nodes(); ++n) {
      const RankMap map = RankMap::largest(machine, {true, {machine.place(n)}});
      check_promises(map);
      // One place of the space of B is left out; none if the node held no rank.
      const int missing = whole.rank(machine.place(n)) ? 1 : 0;
      CHECK(map.torus() ==
            std::vector<int>{2 * machine.length[0], 3 * machine.length[1] - missing, 2 * rows});
    }
  }
}

TEST_CASE("A smaller torus lies beside failed nodes, or goes round them, as far as there is room") {
  const Shape machine = machine_of(2, 4, 2);
  // A whole system board: all of A and C at one place.
  RankOptions board;
  for (int a = 0; a < 2; ++a)
    for (int c = 0; c < 2; ++c) board.failed.push_back({{1, 2, 1, a, 1, c}});
  check_promises(RankMap(machine, {4, 11, 2}, board));
  CHECK_THROWS_WITH(RankMap(machine, {4, 12, 2}, board),
                    Catch::Contains("no room round the failed nodes (1,2,1 0,1,0)"));
  // Nodes of another job are as much in the way, and not worth a list.
  board.others = {{{0, 0, 1, 0, 1, 0}}};
  CHECK_THROWS_WITH(RankMap(machine, {4, 11, 2}, board),
                    Catch::Contains("(1,2,1 1,1,1) and a node of another job; ask"));
  board.others.push_back({{0, 0, 1, 1, 1, 0}});
  CHECK_THROWS_WITH(RankMap(machine, {4, 12, 2}, {true, {}, board.others}),
                    Catch::Contains("no room round 2 nodes of other jobs; ask"));
  // Every nine nodes in three rows of Y have lost one, so four rows are needed.
  const RankMap nine(machine_of(1, 4, 1), {2, 9, 2}, {true, {{{0, 1, 0, 1, 2, 0}}}});
  check_promises(nine);
  CHECK(nine.description() == "2x9x2 as XA, YB, ZC");
  // In two rows: walked round if the rows are not next to one another, or lose the same column.
  const auto round = [&](const Coordinates& p, const Coordinates& q) {
    const RankMap map = RankMap::largest(machine, {true, {p, q}});
    check_promises(map);
    return map.torus()[1];
  };
  CHECK(round({{0, 0, 1, 0, 0, 0}}, {{1, 2, 1, 0, 1, 0}}) == 10);
  CHECK(round({{0, 1, 1, 0, 1, 0}}, {{1, 2, 1, 0, 1, 0}}) == 10);
  CHECK(round({{0, 1, 1, 0, 0, 0}}, {{1, 2, 1, 0, 1, 0}}) < 10);
}

TEST_CASE("Between any two ranks there is a path that avoids any one failed node, both ways") {
  int needed = 0;
  for (const Shape& machine :
       {machine_of(1, 1, 1), machine_of(2, 2, 2), machine_of(3, 1, 3, true)}) {
    for (int n = 0; n<machine.nodes(); n += machine.nodes()> 96 ? 5 : 1) {
      const Coordinates failed = machine.place(n);
      const RankMap map = RankMap::largest(machine, {true, {failed}});
      for (int from = 0; from < map.ranks(); ++from) {
        for (int to = 0; to < map.ranks(); ++to) {
          const Coordinates &p = map.node(from), &q = map.node(to);
          const auto meets = [&](const Path& path) {
            const auto there = walk_by_hand(machine, p, q, path),
                       back = walk_by_hand(machine, q, p, path);
            return std::find(there.begin(), there.end(), failed) != there.end() ||
                   std::find(back.begin(), back.end(), failed) != back.end();
          };
          const Path usual{q.at[3], q.at[4], q.at[5]}, path = map.path(from, to);
          if (meets(path)) FAIL(map.description() << ": " << text(p) << " to " << text(q));
          if (meets(usual))
            ++needed;
          else if (path != usual)
            FAIL("another path than the usual one without need");
        }
      }
    }
  }
  CHECK(needed > 1000);
}

TEST_CASE("All paths that are clear are told, none other, the shortest first") {
  const Shape machine = machine_of(2, 2, 1);
  const std::vector<Coordinates> failed{{{0, 1, 0, 1, 2, 0}}, {{1, 1, 0, 0, 0, 1}}};
  const Coordinates from{{0, 0, 0, 0, 1, 0}};
  for (int n = 0; n < machine.nodes(); ++n) {
    const Coordinates to = machine.place(n);
    std::set<Path> clear;
    for (int p = 0; p < 12; ++p) {
      const Path path{p % 2, p / 2 % 3, p / 6};
      bool met = false;
      for (const auto& places :
           {walk_by_hand(machine, from, to, path), walk_by_hand(machine, to, from, path)})
        for (const Coordinates& place : places)
          met = met || place == failed[0] || place == failed[1];
      if (!met) clear.insert(path);
      CHECK(way(machine, from, to, path) == walk_by_hand(machine, from, to, path));
    }
    const std::vector<Path> found = paths_between(machine, from, to, failed);
    CHECK(std::set<Path>(found.begin(), found.end()) == clear);
    CHECK(found.size() == clear.size());
    for (std::size_t i = 1; i < found.size(); ++i)
      CHECK(walk_by_hand(machine, from, to, found[i - 1]).size() <=
            walk_by_hand(machine, from, to, found[i]).size());
  }
  CHECK(path_bits({1, 2, 1}) == 0b1101);
}

TEST_CASE("Tori that cannot be are refused with the reason") {
  using Catch::Contains;
  const Shape machine = machine_of(2, 2, 2);
  CHECK_THROWS_WITH(RankMap(machine, {}), Contains("a torus of 0 axes"));
  CHECK_THROWS_WITH(RankMap(machine, {2, 2, 2, 2}), Contains("a torus of 4 axes"));
  CHECK_THROWS_WITH(RankMap(machine, {2, 0, 2}), Contains("2x0x2") && Contains("at least 1"));
  CHECK_THROWS_WITH(RankMap(machine, {8, 12, 6}),
                    Contains("576 ranks, but 48 nodes") && Contains("Z = 0 do I/O"));
  CHECK_THROWS_WITH(RankMap(machine, {3, 3, 2}), Contains("adjacent all round"));
  CHECK_THROWS_WITH(RankMap(machine, {2, 2}, {true, {{{0, 0, 2, 0, 0, 0}}}}),
                    Contains("failed node (0,0,2 0,0,0)") && Contains("no such node"));
  const RankMap map(machine, {4, 6});
  CHECK_THROWS_WITH(map.node(24), Contains("there is no rank 24"));
  CHECK_THROWS_AS(map.position(-1), ht::UsageError);
  CHECK_THROWS_AS(map.rank_at({4, 0}), ht::UsageError);
  CHECK_THROWS_AS(map.rank_at({0}), ht::UsageError);
  CHECK_THROWS_AS(map.neighbour(0, 2, true), ht::UsageError);
  CHECK_THROWS_AS(map.path(0, 24), ht::UsageError);
  CHECK_THROWS_AS(way(machine, map.node(0), map.node(1), {0, 3, 0}), ht::UsageError);
  CHECK_FALSE(map.rank({{0, 0, 0, 0, 0, 0}}).has_value());
  CHECK_FALSE(map.rank({{7, 0, 1, 0, 0, 0}}).has_value());
  // Without a second way there is none round.
  const RankMap line(Shape{{4, 1, 1, 2, 1, 1}, {false, false, false}}, {2},
                     {true, {{{1, 0, 0, 0, 0, 0}}, {{1, 0, 0, 1, 0, 0}}}});
  CHECK(paths_between(line.machine(), {{0, 0, 0, 0, 0, 0}}, {{2, 0, 0, 0, 0, 0}},
                      line.options().failed)
            .empty());
}

TEST_CASE("Ways at once share no link: four between neighbours, three along C, two along B") {
  const Shape shape{{3, 2, 4, 2, 3, 2}};
  const Coordinates from{{1, 0, 2, 1, 1, 0}};
  const auto check = [&](const Coordinates& to, std::size_t count,
                         const std::vector<Coordinates>& failed) {
    INFO(text(from) << " to " << text(to));
    const auto paths = disjoint_paths(shape, from, to, 4, failed);
    CHECK(paths.size() == count);
    std::set<std::pair<std::uint32_t, std::uint32_t>> used;
    std::size_t links = 0;
    for (const Path& path : paths) {
      const auto places = way(shape, from, to, path);
      CHECK(std::find_first_of(places.begin(), places.end(), failed.begin(), failed.end()) ==
            places.end());
      for (std::size_t i = 1; i < places.size(); ++i, ++links)
        used.emplace(places[i - 1].address(), places[i].address());
    }
    CHECK(used.size() == links);
  };
  for (int link = 0; link < 10; ++link) {
    const Coordinates to = *shape.neighbour(from, link);
    // A way that turns off first must come back last: of A, C, B, in that order.
    check(to, to.at[4] != from.at[4] ? 2 : to.at[5] != from.at[5] ? 3 : 4, {});
    // Neighbours by X, Y, Z have five ways: one may fail.
    Coordinates failed = from;
    failed.at[5] = 1 - from.at[5];
    if (link < 6) check(to, 4, {failed});
  }
  CHECK(disjoint_paths(shape, from, *shape.neighbour(from, 0), 2).size() == 2);
  CHECK(disjoint_paths(shape, from, *shape.neighbour(from, 0), 0).empty());
}
