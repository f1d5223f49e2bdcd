// SPDX-License-Identifier: Apache-2.0
// How a torus is shared out among processes.
#include "sim/machine/layout.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "sim/machine/torus.hpp"

using ht::machine::cut_cables;
using ht::machine::lay_out;
using ht::machine::node_count;
using Shape = std::vector<int>;

namespace {

std::vector<unsigned> blocks(const Shape& shape, unsigned processes) {
  std::vector<unsigned> owners;
  const auto nodes = static_cast<unsigned>(node_count(shape));
  for (unsigned i = 0; i < nodes; ++i) owners.push_back(i * processes / nodes);
  return owners;
}

}  // namespace

TEST_CASE("layout: equal shares, and never more cables cut than by blocks of numbers") {
  std::mt19937 random(7);
  const auto below = [&random](unsigned most) { return static_cast<unsigned>(random() % most); };
  for (int round = 0; round < 300; ++round) {
    Shape shape(1 + below(6));
    for (int& length : shape) length = static_cast<int>(1 + below(4));
    const auto nodes = static_cast<unsigned>(node_count(shape));
    const unsigned processes = 1 + below(12);
    CAPTURE(shape, processes);
    const std::vector<unsigned> owners = lay_out(shape, processes);
    REQUIRE(owners.size() == nodes);
    CHECK(owners[0] == 0);
    std::map<unsigned, unsigned> shares;
    for (const unsigned owner : owners) ++shares[owner];
    for (const auto& [owner, share] : shares) {
      CHECK(owner < processes);
      CHECK(share >= nodes / processes);
      CHECK(share <= (nodes + processes - 1) / processes);
    }
    CHECK(shares.size() == std::min(nodes, processes));
    CHECK(cut_cables(shape, owners) <= cut_cables(shape, blocks(shape, processes)));
  }
}

TEST_CASE("layout: cables that are cut, as counted by hand") {
  // Two halves of the longest ring: four rings, cut twice, both directions; blocks would cut the
  // sixteen pairs along z, of two cables each.
  CHECK(cut_cables({8, 2, 2}, lay_out({8, 2, 2}, 2)) == 4 * 2 * 2);
  CHECK(cut_cables({8, 2, 2}, blocks({8, 2, 2}, 2)) == 16 * 2 * 2);
  // Eight cubes of 4x4x4: along each axis 64 rings, cut twice; planes cut every cable along z.
  CHECK(cut_cables({8, 8, 8}, lay_out({8, 8, 8}, 8)) == 3 * 64 * 2 * 2);
  CHECK(cut_cables({8, 8, 8}, blocks({8, 8, 8}, 8)) == 512 * 2);
  // A process a node; a process.
  CHECK(cut_cables({4, 4}, lay_out({4, 4}, 16)) == 16 * 4);
  CHECK(cut_cables({4, 4}, lay_out({4, 4}, 1)) == 0);
}
