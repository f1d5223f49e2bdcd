// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/clock.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "sw/host/errors.hpp"

using ht::Picoseconds;
using ht::sim::Clock;
using ht::sim::kNever;

namespace {

using Wide = __int128;

Wide floor_of(Wide numerator, Wide denominator) {
  const Wide q = numerator / denominator;
  return numerator % denominator < 0 ? q - 1 : q;
}

/// From the definition, in integers that nothing overflows.
Wide exact_edge(const Clock& c, Wide n) {
  return c.phase + floor_of(n * (Wide{1000} * c.period + c.off_fs), 1000);
}

/// `n` is what first_edge(t) should be.
bool is_first(const Clock& c, Picoseconds t, std::int64_t n) {
  return n >= 0 && exact_edge(c, n) >= t && (n == 0 || exact_edge(c, Wide{n} - 1) < t);
}

Clock random_clock(std::mt19937_64& random, std::int64_t most_ppb) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Clock c;
  c.period = 500 + below(10'000);
  c.phase = below(c.period);
  return c.slower_by(below(2 * most_ppb + 1) - most_ppb);
}

}  // namespace

TEST_CASE("clock: edges and the first at or after a time") {
  const Clock c{4800, 700};
  CHECK(c.edge(0) == 700);
  CHECK(c.edge(3) == 15100);
  CHECK(c.cycles(3) == 14400);
  CHECK(c.longest_cycle() == 4800);
  // Straight from the definition, by search.
  for (ht::Picoseconds t = -5000; t < 30000; t += 50) {
    std::int64_t n = 0;
    while (c.edge(n) < t) ++n;
    REQUIRE(c.first_edge(t) == n);
  }
  for (const Picoseconds t : {kNever, kNever - 1, kNever / 2})
    REQUIRE(is_first(c, t, c.first_edge(t)));
  CHECK_NOTHROW(c.check());
  CHECK_THROWS_AS((Clock{0, 0}.check()), ht::UsageError);
  CHECK_THROWS_AS((Clock{4000, 4000}.check()), ht::UsageError);
  CHECK_THROWS_AS((Clock{4000, -1}.check()), ht::UsageError);
}

TEST_CASE(
    "clock: edges of clocks that are off are those of exact arithmetic, to the last that fits") {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    const Clock c = random_clock(random, trial % 10 == 0 ? 9'990'000 : 300'000);
    INFO("period " << c.period << " ps " << c.off_fs << " fs, phase " << c.phase);
    const std::int64_t last = kNever / c.period / 102 * 100;
    for (int i = 0; i < 200; ++i) {
      // Of all lengths, from a few to 64 bits.
      const std::int64_t n = static_cast<std::int64_t>(random() >> (1 + random() % 62)) % last;
      REQUIRE(Wide{c.edge(n)} == exact_edge(c, n));
      REQUIRE(Wide{c.cycles(-n)} == exact_edge(c, -Wide{n}) - c.phase);
      const Picoseconds to_next = c.edge(n + 1) - c.edge(n);
      REQUIRE((to_next == c.longest_cycle() || to_next == c.longest_cycle() - 1));
    }
  }
}

TEST_CASE("clock: the first edge at or after a time of clocks that are off, for any time") {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 2000; ++trial) {
    const Clock c = random_clock(random, trial % 10 == 0 ? 9'990'000 : 300'000);
    INFO("period " << c.period << " ps " << c.off_fs << " fs, phase " << c.phase);
    for (int i = 0; i < 200; ++i) {
      const auto t = static_cast<Picoseconds>(random() >> (1 + random() % 62));
      const std::int64_t n = c.first_edge(t);
      REQUIRE(is_first(c, t, n));
      if (exact_edge(c, n) >= kNever) continue;
      // An edge is its own first one, and a picosecond later it is the next.
      REQUIRE(c.first_edge(c.edge(n)) == n);
      REQUIRE(c.first_edge(c.edge(n) + 1) == n + 1);
    }
    for (const Picoseconds t : {kNever, kNever - 1, kNever - c.phase, kNever / 2, kNever / 1000})
      REQUIRE(is_first(c, t, c.first_edge(t)));
    REQUIRE(c.first_edge(-1) == 0);
    REQUIRE(c.first_edge(c.phase) == 0);
  }
}

TEST_CASE("clock: off by parts per billion, to a femtosecond, and by less than 1 %") {
  const Clock c{4000, 100};
  CHECK(c.slower_by(1'000).off_fs == 4);  // a ppm
  CHECK(c.slower_by(-1'000).off_fs == -4);
  CHECK(c.slower_by(300'000).off_fs == 1200);
  CHECK(c.slower_by(124).off_fs == 0);
  CHECK(c.slower_by(125).off_fs == 1);
  CHECK(c.slower_by(-125).off_fs == -1);
  CHECK(c.slower_by(0) == c);
  CHECK(c.slower_by(7'000).slower_by(0) == c);
  CHECK(c.slower_by(7'000).phase == 100);
  // 300 ppm in 40 ms: 12 us.
  CHECK(c.slower_by(300'000).cycles(10'000'000) == 40'012'000'000);
  CHECK(c.slower_by(-300'000).cycles(10'000'000) == 39'988'000'000);
  CHECK(c.slower_by(1'000).longest_cycle() == 4001);
  CHECK(c.slower_by(-1'000).longest_cycle() == 4000);
  for (const std::int64_t ppb : {9'999'000, -9'999'000}) CHECK_NOTHROW(c.slower_by(ppb));
  for (const std::int64_t ppb : {10'000'000, -10'000'000, 9'999'999, -9'999'999})
    CHECK_THROWS_AS(c.slower_by(ppb), ht::UsageError);
  CHECK_NOTHROW((Clock{4000, 0, 39'999}.check()));
  CHECK_NOTHROW((Clock{4000, 0, -39'999}.check()));
  CHECK_THROWS_AS((Clock{4000, 0, 40'000}.check()), ht::UsageError);
  CHECK_THROWS_AS((Clock{4000, 0, -40'000}.check()), ht::UsageError);
}
