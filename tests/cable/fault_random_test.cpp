// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/fault_random.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <set>

using namespace ht::sim;

TEST_CASE("fault random: Philox 4x32-10 with its published known answer") {
  // Random123 kat_vectors: philox4x32 10, counter and key all zero -> 6627e8d5 e169c58d ...
  const FaultRandom zero(0, 0);
  CHECK(zero.draw(FaultRandom::BitErrors, 0) == 0xe169c58d6627e8d5ULL);
}

TEST_CASE("fault random: seed, cable, stream and number all matter") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {1ULL, 2ULL, 1ULL << 40}) {
    for (std::uint32_t cable : {0U, 1U, 77U}) {
      for (const auto stream : {FaultRandom::BitErrors, FaultRandom::Lost, FaultRandom::Doubled}) {
        for (std::uint64_t n : {0ULL, 1ULL, 1ULL << 33}) {
          REQUIRE(seen.insert(FaultRandom(seed, cable).draw(stream, n)).second);
        }
      }
    }
  }
  const FaultRandom r(5, 6);
  int count[7] = {};
  for (std::uint64_t n = 0; n < 70000; ++n) ++count[r.below(FaultRandom::Lost, n, 7)];
  for (const int c : count) CHECK(std::abs(c - 10000) < 500);  // 5.4 sigma
}

TEST_CASE("fault random: logarithms by basic arithmetic") {
  for (double x = 1; x > 1e-17; x *= 0.9991) {
    const double expected = -std::log(x);
    REQUIRE(std::fabs(minus_log(x) - expected) <= 1e-14 * expected + 1e-16);
  }
  for (double p = 1e-18; p < 1; p *= 1.003) {
    const double expected = -std::log1p(-p);
    REQUIRE(std::fabs(minus_log_1m(p) - expected) <= 1e-14 * expected);
  }
}

TEST_CASE("fault random: gaps are geometric") {
  for (const double p : {0.9, 0.5, 0.24, 1e-2, 1e-6}) {
    INFO("p = " << p);
    const FaultRandom r(3, 4);
    const int n = 200000;
    double sum = 0;
    int none = 0, many = 0;
    const auto median_like = static_cast<std::int64_t>(std::ceil(std::log(0.3) / std::log1p(-p)));
    for (int i = 0; i < n; ++i) {
      const auto gap =
          geometric_gap(r.draw(FaultRandom::BitErrors, static_cast<std::uint64_t>(i)), p);
      sum += static_cast<double>(gap);
      none += gap == 0 ? 1 : 0;
      many += gap >= median_like ? 1 : 0;
    }
    const double mean = (1 - p) / p, sigma = std::sqrt(1 - p) / p;
    CHECK(std::fabs(sum / n - mean) < 5 * sigma / std::sqrt(n));
    CHECK(std::fabs(none - n * p) < 5 * std::sqrt(n * p) + 1);
    const double tail = std::pow(1 - p, static_cast<double>(median_like));
    CHECK(std::fabs(many - n * tail) < 5 * std::sqrt(n * tail * (1 - tail)) + 1);
  }
  CHECK(geometric_gap(12345, 1.0) == 0);
  CHECK(geometric_gap(0, 1e-300) == std::int64_t{1} << 61);
}
