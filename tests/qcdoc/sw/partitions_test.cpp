// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/partitions.hpp"

#include <queue>
#include <set>

#include "sw/host/errors.hpp"
#include "tests/qcdoc/sw/torus_check.hpp"

using namespace ht::qcdoc;
using ht::test::check_torus;
using Shape = std::vector<int>;

namespace {

// Every node in one partition, with neighbours over its links in the same one; the farthest node
// by breadth-first search.
void check_partitions(const Partitions& p) {
  int nodes = 1;
  for (const int n : p.machine()) nodes *= n;
  const std::vector<Axis> whole = [&] {
    std::vector<Axis> axes;
    for (const int n : p.machine()) axes.push_back({n, true});
    return axes;
  }();
  CHECK(p.count() * p.size() == nodes);
  std::set<std::pair<int, int>> seen;
  for (int r = 0; r < nodes; ++r) {
    seen.insert({p.partition_of(r), p.physical_node_of(r)});
    REQUIRE(p.partition_of(r) < p.count());
    REQUIRE(p.physical_node_of(r) < p.size());
    REQUIRE(p.node(p.partition_of(r), p.physical_node_of(r)) == r);
    for (int link = 0; link < 2 * static_cast<int>(whole.size()); ++link) {
      const int other = box_neighbour(whole, r, link);
      const int boxed = box_neighbour(p.axes(), p.physical_node_of(r), link);
      const bool inside = (p.links(r) >> link & 1U) != 0;
      if (inside) {
        // Seen from the box it is the same cable.
        REQUIRE(p.partition_of(other) == p.partition_of(r));
        REQUIRE(p.physical_node_of(other) == boxed);
        REQUIRE((p.links(other) >> (link ^ 1) & 1U) != 0);
      } else if (other != r && p.axes()[static_cast<std::size_t>(link / 2)].length > 1) {
        REQUIRE(p.partition_of(other) != p.partition_of(r));
        REQUIRE(boxed == -1);
      }
    }
  }
  CHECK(seen.size() == static_cast<std::size_t>(nodes));
  int farthest = 0;
  for (int from = 0; from < p.size(); ++from) {
    std::vector<int> hops(static_cast<std::size_t>(p.size()), -1);
    std::queue<int> next({from});
    hops[static_cast<std::size_t>(from)] = 0;
    while (!next.empty()) {
      const int here = next.front();
      next.pop();
      for (int link = 0; link < 2 * static_cast<int>(p.axes().size()); ++link) {
        const int other = box_neighbour(p.axes(), here, link);
        if (other < 0 || hops[static_cast<std::size_t>(other)] >= 0) continue;
        hops[static_cast<std::size_t>(other)] = hops[static_cast<std::size_t>(here)] + 1;
        farthest = std::max(farthest, hops[static_cast<std::size_t>(other)]);
        next.push(other);
      }
    }
  }
  CHECK(p.diameter() == farthest);
}

std::string refusal(const Shape& machine, const std::string& cuts) {
  try {
    Partitions p(machine, cuts);
  } catch (const ht::UsageError& e) {
    return e.what();
  }
  return "not refused";
}

}  // namespace

TEST_CASE("every way to cut a machine") {
  for (const Shape& machine :
       {Shape{4}, Shape{6, 2}, Shape{4, 2, 2, 1, 1, 1}, Shape{2, 2, 2, 2, 2, 2}, Shape{8, 3, 2}}) {
    Shape pieces(machine.size(), 1);
    for (bool more = true; more;) {
      bool divides = true;
      for (std::size_t a = 0; a < machine.size(); ++a)
        divides = divides && machine[a] % pieces[a] == 0;
      if (divides)
        check_partitions(Partitions(machine, pieces));
      else
        CHECK_THROWS_AS(Partitions(machine, pieces), ht::UsageError);
      more = false;
      for (std::size_t a = 0; a < machine.size() && !more; ++a) {
        more = ++pieces[a] <= machine[a];
        if (!more) pieces[a] = 1;
      }
    }
  }
}

TEST_CASE("a whole machine is one partition") {
  const Partitions p(Shape{4, 2, 1}, "");
  CHECK(p.count() == 1);
  CHECK(p.axes() == std::vector<Axis>{{4, true}, {2, true}, {1, true}});
  CHECK(p.links(0) == 0xFU);
}

TEST_CASE("an axis of two split off leaves tori of fewer dimensions") {
  const Partitions p(Shape(6, 2), "u:1+1,v:1+1");
  CHECK(p.count() == 4);
  for (const Shape& shape : {Shape{16}, Shape{4, 4}, Shape{2, 2, 2, 2}, Shape{4, 2, 2}})
    check_torus(Fold(p.axes(), shape));
  CHECK(p.partition_of(63) == 3);
  CHECK(p.links(5) == 0xFFU);
}

TEST_CASE("a line is a torus only where it folds with another axis") {
  const Partitions p(Shape{8, 2}, "x:4+4");
  CHECK(p.count() == 2);
  CHECK(p.axes() == std::vector<Axis>{{4, false}, {2, true}});
  check_torus(Fold(p.axes(), Shape{8}));
  CHECK_THROWS_WITH(Fold(p.axes(), Shape{4, 2}),
                    Catch::Contains("4x2 (x cut: a line)") && Catch::Contains("into 8,"));
  // A line of two has one cable; a torus of two wants two.
  const Partitions q(Shape{4}, "x:2+2");
  CHECK_THROWS_WITH(Fold(q.axes(), Shape{2}), Catch::Contains("folds into no torus"));
  CHECK_THROWS_WITH(Fold(q.axes(), Shape{2}, "x"), Catch::Contains("no way back"));
  // Two of them fold into a ring of four.
  check_torus(Fold(Partitions(Shape{4, 4}, "x:2+2,y:2+2").axes(), Shape{4}));
  // Three by three squares without closing cables do not.
  CHECK_THROWS_AS(Fold(Partitions(Shape{6, 6}, "x:3+3,y:3+3").axes(), Shape{9}), ht::UsageError);
}

TEST_CASE("cuts that do not fit are refused") {
  CHECK_THAT(refusal({4, 2}, "x:3+1"), Catch::Contains("pieces must be equal"));
  CHECK_THAT(refusal({4, 2}, "x:2+2+2"), Catch::Contains("make up the 4 nodes of axis x"));
  CHECK_THAT(refusal({4, 2}, "x:2+2+"), Catch::Contains("equal"));
  CHECK_THAT(refusal({4, 2}, "x:a+b"), Catch::Contains("equal"));
  CHECK_THAT(refusal({4, 2}, "z:1+1"), Catch::Contains("4x2 has no axis z"));
  CHECK_THAT(refusal({4, 2}, "x"), Catch::Contains("as in x:2+2"));
  CHECK_THAT(refusal({4, 2}, "x:2+2,,"), Catch::Contains("as in x:2+2"));
  CHECK_THAT(refusal({4, 2}, "x:2+2,x:2+2"), Catch::Contains("cut already"));
  CHECK_THROWS_AS(Partitions(Shape{4, 2}, Shape{1, 1, 1}), ht::UsageError);
  CHECK_THROWS_AS(Partitions(Shape{4, 2}, Shape{3}), ht::UsageError);
}
