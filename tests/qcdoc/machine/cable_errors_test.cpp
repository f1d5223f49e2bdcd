// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/cable_errors.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <utility>

#include "sim/machine/torus.hpp"

using ht::machine::CableErrors;
using ht::machine::CableGrid;
using ht::machine::draw_faults;
using ht::sim::ErrorKind;

TEST_CASE("counted errors hit cables that are in use, and their numbers are as asked") {
  const std::vector<int> shape{2, 1, 2};
  CableErrors errors;
  errors[ErrorKind::Lost].count = 40;
  errors[ErrorKind::Pulled].count = 10;
  CableGrid grid;
  grid.nodes = 4;
  grid.links = 12;
  grid.neighbour = [&](int node, int link) {
    return ht::machine::torus_neighbour(shape, node, link);
  };
  for (const bool self_cables : {false, true}) {
    grid.self_cables = self_cables;
    const auto plans = draw_faults(errors, grid, 3, {});
    REQUIRE(plans.size() == 48);
    std::size_t lost = 0, pulls = 0, on_self = 0;
    for (int cable = 0; cable < 48; ++cable) {
      const auto& plan = plans[static_cast<std::size_t>(cable)];
      lost += plan.lost.size();
      pulls += plan.pulls.size();
      if (grid.neighbour(cable / 12, cable % 12) == cable / 12)
        on_self += plan.lost.size() + plan.pulls.size();
    }
    CHECK(lost == 40);
    CHECK(pulls == 20);  // both directions
    if (self_cables) {
      CHECK(on_self > 20);  // two of three cables lead to the node itself
    } else {
      CHECK(on_self == 0);
    }
  }
}

TEST_CASE("where no cable leads to another node nothing counted is drawn") {
  CableErrors errors;
  errors[ErrorKind::Lost].count = 40;
  errors[ErrorKind::Pulled].count = 10;
  CableGrid grid;
  grid.nodes = 2;  // one of them may be out of service
  grid.links = 6;
  grid.neighbour = [](int node, int) { return node; };
  grid.self_cables = false;
  for (const auto& plan : draw_faults(errors, grid, 3, {})) {
    CHECK(plan.lost.empty());
    CHECK(plan.pulls.empty());
  }
}

TEST_CASE("two lanes are exchanged with each other, on cables that have two") {
  CableErrors errors;
  errors[ErrorKind::Exchanged].count = 60;
  CableGrid grid;
  grid.nodes = 2;
  grid.links = 2;
  grid.neighbour = [](int node, int) { return 1 - node; };
  CHECK_THROWS_WITH(
      draw_faults(errors, grid, 5, {}),
      Catch::Contains("exchanged 60: that takes 2 lanes") && Catch::Contains("leave it out"));
  grid.lanes = 3;
  std::set<std::pair<unsigned, unsigned>> pairs;
  std::size_t faults = 0;
  for (const auto& plan : draw_faults(errors, grid, 5, {})) {
    plan.check(3, 10, "cable");
    for (const auto& f : plan.lane_faults) {
      CHECK(f.kind == ErrorKind::Exchanged);
      CHECK(f.until - f.from == 400'000);
      CHECK(f.from >= errors.from);
      CHECK(f.from < errors.until);
      pairs.insert({f.lane, f.with});
      ++faults;
    }
  }
  CHECK(faults == 60);
  CHECK(pairs.size() == 6);  // every pair, either way round
}

TEST_CASE("a cable is pulled out at both ends, whatever these links are called") {
  // Two nodes: links 0 and 1 make a ring of two, link 2 leads to the other node's link 2.
  CableErrors errors;
  errors[ErrorKind::Pulled].count = 12;
  CableGrid grid;
  grid.nodes = 2;
  grid.links = 3;
  grid.neighbour = [](int node, int) { return 1 - node; };
  grid.far_link = [](int link) { return link == 2 ? 2 : 1 - link; };
  const auto plans = draw_faults(errors, grid, 5, {});
  REQUIRE(plans.size() == 6);
  const auto pulls = [&](int node, int link) {
    std::vector<ht::Picoseconds> from;
    for (const auto& p : plans[static_cast<std::size_t>(3 * node + link)].pulls)
      from.push_back(p.from);
    std::sort(from.begin(), from.end());
    return from;
  };
  std::size_t sum = 0;
  for (int link = 0; link < 3; ++link) {
    CHECK(pulls(0, link) == pulls(1, grid.far_link(link)));
    CHECK_FALSE(pulls(0, link).empty());
    sum += pulls(0, link).size();
  }
  CHECK(sum == 12);
}
