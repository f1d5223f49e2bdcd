// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>
#include <set>
#include <utility>
#include <vector>

#include "sw/qcdoc/fold.hpp"

namespace ht::test {

/// Coordinates on a grid, and the node one step along a link, from nothing but the lengths.
inline std::vector<int> grid_coordinates(const std::vector<int>& lengths, int rank) {
  std::vector<int> c;
  for (const int n : lengths) {
    c.push_back(rank % n);
    rank /= n;
  }
  return c;
}

/// That the fold is a torus of its shape whose every step is one cable of the machine, used in both
/// directions of one axis and by nothing else.
inline void check_torus(const qcdoc::Fold& fold) {
  INFO(fold.description());
  std::vector<int> lengths;
  int nodes = 1;
  for (const qcdoc::Axis& axis : fold.machine()) {
    lengths.push_back(axis.length);
    nodes *= axis.length;
  }
  int of_application = 1;
  for (const int n : fold.shape()) of_application *= n;
  REQUIRE(fold.size() == nodes);
  REQUIRE(of_application == nodes);
  std::set<int> seen;
  std::set<std::pair<int, int>> used;  // node and link
  std::size_t ends = 0;
  bool good = true;  // a REQUIRE a step would take longer than the rest
  for (int rank = 0; rank < nodes; ++rank) {
    const int physical = fold.physical_node(rank);
    seen.insert(physical);
    good = good && fold.application_rank(physical) == rank;
    const std::vector<int> place = fold.coordinates(physical);
    good = good && place == grid_coordinates(fold.shape(), rank) &&
           fold.physical_node_at(place) == physical;
    const std::vector<int> here = grid_coordinates(lengths, physical);
    good = good && fold.physical_coordinates(physical) == here;
    for (int d = 0; d < 2 * static_cast<int>(fold.shape().size()); ++d) {
      const auto axis = static_cast<std::size_t>(d / 2);
      const int n = fold.shape()[axis];
      std::vector<int> next = place;
      next[axis] = (next[axis] + (d % 2 ? n - 1 : 1)) % n;
      const int other = fold.physical_node_at(next);
      good = good && fold.neighbour(physical, d) == other;
      const int link = fold.link(physical, d);
      if (n == 1) {
        good = good && link == -1 && other == physical;
        continue;
      }
      ++ends;
      // One step along the link's axis in its direction; over the closing cable only on a ring.
      const auto along = static_cast<std::size_t>(link / 2);
      if (link < 0 || along >= lengths.size()) {
        good = false;
        continue;
      }
      std::vector<int> there = here;
      there[along] += link % 2 ? -1 : 1;
      const bool closing = there[along] < 0 || there[along] == lengths[along];
      there[along] = (there[along] + lengths[along]) % lengths[along];
      good = good && there == grid_coordinates(lengths, other) &&
             (!closing || fold.machine()[along].ring);
      // The cable's other end belongs to the way back.
      good = good && fold.link(other, d ^ 1) == (link ^ 1);
      good = good && fold.direction(physical, link) == d;
      used.insert({physical, link});
    }
    if (!good) break;
  }
  REQUIRE(good);
  CHECK(seen.size() == static_cast<std::size_t>(nodes));
  CHECK(used.size() == ends);
}

}  // namespace ht::test
