// SPDX-License-Identifier: Apache-2.0
// The machine, saturated: 108 nodes.
#include <catch2/catch.hpp>

#include "tests/tofu/router/saturate.hpp"

using namespace ht::bench;
using namespace ht::test;
using namespace ht::model::tofu;

TEST_CASE("tofu router: 3x3x1 x 2x3x2 saturated keeps moving and loses nothing") {
  for (const bool ring : {true, false})
    for (const double damage : {0.0, 0.05}) {
      TofuNet net(Shape{{3, 3, 1, 2, 3, 2}, {ring, ring, false}}, 20);
      net.damage = damage;
      net.stutter = damage;
      saturate(net, 10'000);
    }
}
