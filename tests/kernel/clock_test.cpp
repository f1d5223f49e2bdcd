// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/clock.hpp"

#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"

using ht::sim::Clock;

TEST_CASE("clock: edges and the first at or after a time") {
  const Clock c{4800, 700};
  CHECK(c.edge(0) == 700);
  CHECK(c.edge(3) == 15100);
  // Straight from the definition, by search.
  for (ht::Picoseconds t = -5000; t < 30000; t += 50) {
    std::int64_t n = 0;
    while (c.edge(n) < t) ++n;
    REQUIRE(c.first_edge(t) == n);
  }
  CHECK_NOTHROW(c.check());
  CHECK_THROWS_AS((Clock{0, 0}.check()), ht::UsageError);
  CHECK_THROWS_AS((Clock{4000, 4000}.check()), ht::UsageError);
  CHECK_THROWS_AS((Clock{4000, -1}.check()), ht::UsageError);
}
