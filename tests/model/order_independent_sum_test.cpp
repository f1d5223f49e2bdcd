// SPDX-License-Identifier: Apache-2.0
#include "verif/model/common/order_independent_sum.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "tests/model/big_accumulator.hpp"

using ht::model::OrderIndependentSum;
using ht::test::BigAccumulator;
using Random = std::mt19937_64;

namespace {

double uniform(Random& r) {
  return std::ldexp(static_cast<double>(r() >> 11), -53) - 0.5;
}

double any_finite(Random& r) {
  for (;;) {
    const auto x = std::bit_cast<double>(r());
    if (std::isfinite(x) && std::fabs(x) < 1e300) return x;
  }
}

struct DataClass {
  std::string name;
  std::function<double(Random&)> draw;
  bool cancels = false;  ///< followed by all its negatives but the last
};

std::vector<DataClass> data_classes() {
  const auto scaled = [](int low, int high) {
    return [low, high](Random& r) {
      const int e = low + static_cast<int>(r() % static_cast<unsigned>(high - low + 1));
      return std::ldexp(uniform(r), e);
    };
  };
  return {
      {"about one", [](Random& r) { return uniform(r); }},
      {"positive", [](Random& r) { return uniform(r) + 0.5; }},
      {"wide range", any_finite},
      {"wide range, cancelling", any_finite, true},
      {"about one, cancelling", [](Random& r) { return uniform(r); }, true},
      {"across a border of groups", scaled(-20, 40)},
      {"three neighbouring groups", scaled(-100, 60)},
      {"subnormal", [](Random& r) { return std::bit_cast<double>(r() & 0x800fffffffffffffULL); }},
      {"around the smallest normal", scaled(-1070, -1000)},
  };
}

std::vector<double> draw(const DataClass& c, std::size_t n, std::uint64_t seed) {
  Random r(seed);
  std::vector<double> x;
  while (x.size() < n) x.push_back(c.draw(r));
  if (c.cancels) {
    for (std::size_t i = 0; i + 1 < n; ++i) x.push_back(-x[i]);
  }
  return x;
}

OrderIndependentSum linear(const std::vector<double>& x) {
  OrderIndependentSum s;
  s.add(x);
  return s;
}

/// Sums [first, last) over a random tree, with the state going through its bytes now and then.
OrderIndependentSum tree(const std::vector<double>& x, std::size_t first, std::size_t last,
                         Random& r) {
  if (last - first < 4) {
    OrderIndependentSum s;
    for (std::size_t i = first; i < last; ++i) s.add(x[i]);
    return s;
  }
  const std::size_t middle = first + 1 + r() % (last - first - 1);
  OrderIndependentSum s = tree(x, first, middle, r);
  s.merge(OrderIndependentSum::from_bytes(tree(x, middle, last, r).to_bytes()));
  return s;
}

}  // namespace

TEST_CASE("order-independent sum: permutations and trees give the same state") {
  for (const auto& c : data_classes()) {
    INFO(c.name);
    auto x = draw(c, 5000, 11);
    const OrderIndependentSum expected = linear(x);
    Random r(12);
    for (int round = 0; round < 12; ++round) {
      std::shuffle(x.begin(), x.end(), r);
      REQUIRE(linear(x) == expected);
      const OrderIndependentSum t = tree(x, 0, x.size(), r);
      REQUIRE(t == expected);
      REQUIRE(t.to_bytes() == expected.to_bytes());
      REQUIRE(std::bit_cast<std::uint64_t>(t.round()) ==
              std::bit_cast<std::uint64_t>(expected.round()));
    }
    std::sort(x.begin(), x.end());
    REQUIRE(linear(x) == expected);
  }
}

TEST_CASE("order-independent sum: error against an exact accumulator is within its bound") {
  for (const auto& c : data_classes()) {
    for (const std::size_t n : {1U, 2U, 3U, 10U, 1000U, 30000U}) {
      const auto x = draw(c, n, 100 + n);
      INFO(c.name << ", " << x.size() << " addends");
      const double sum = linear(x).round();
      BigAccumulator error;
      double largest = 0;
      for (const double v : x) {
        error.add(v);
        largest = std::max(largest, std::fabs(v));
      }
      error.add(-sum);
      REQUIRE(std::isfinite(sum));
      int e = 0;
      const long double fraction = error.magnitude_fraction(e);
      const long double size = std::ldexp(fraction, e);
      const double ulp = std::nextafter(std::fabs(sum), HUGE_VAL) - std::fabs(sum);
      const long double bound =
          std::ldexp(static_cast<long double>(x.size()) * largest, -64) + 0.5L * ulp;
      REQUIRE(size <= bound * (1 + 1e-15L));
    }
  }
}

TEST_CASE("order-independent sum: correctly rounded while two groups suffice") {
  Random r(5);
  for (const auto& c : data_classes()) {
    INFO(c.name);
    for (int i = 0; i < 2000; ++i) {
      // Two groups of the same pair: exponents 64 g .. 64 g + 127.
      const auto g = r() % 30;
      std::vector<double> x;
      BigAccumulator exact;
      const auto n = 2 + r() % 6;
      while (x.size() < n) {
        const auto bits = std::bit_cast<std::uint64_t>(c.draw(r));
        const std::uint64_t biased = 64 * g + ((bits >> 52) & 127);
        x.push_back(std::bit_cast<double>((bits & 0x800fffffffffffffULL) | (biased << 52)));
        exact.add(x.back());
      }
      REQUIRE(linear(x).round() == exact.rounded());
    }
  }
}

TEST_CASE("order-independent sum: halves are rounded to even, whatever lies far below") {
  const double one = 1.0, half = std::ldexp(1.0, -53), tiny = std::ldexp(1.0, -900);
  const double up = std::nextafter(1.0, 2.0);
  CHECK(linear({one, half}).round() == 1.0);
  CHECK(linear({up, half}).round() == std::nextafter(up, 2.0));
  CHECK(linear({one, half, half / 1024}).round() == up);
  // Two far groups: only the sign of the low one matters, and it does.
  CHECK(linear({one, half, tiny}).round() == up);
  CHECK(linear({up, half, -tiny}).round() == up);
  CHECK(linear({-up, -half, tiny}).round() == -up);
  CHECK(linear({-one, -half, -tiny}).round() == -up);
  CHECK(linear({one, -one, tiny}).round() == tiny);
}

TEST_CASE("order-independent sum: zeros, infinities, not-a-numbers and overflow") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double max = std::numeric_limits<double>::max();
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  CHECK(bits(linear({}).round()) == 0);
  CHECK(bits(linear({-0.0, -0.0}).round()) == 0);
  CHECK(bits(linear({3.5, -3.5}).round()) == 0);
  CHECK(linear({-0.0}) == OrderIndependentSum{});
  CHECK(linear({}).to_bytes() == OrderIndependentSum::Bytes{});
  CHECK(linear({1.0, inf, -max}).round() == inf);
  CHECK(linear({1.0, -inf}).round() == -inf);
  CHECK(std::isnan(linear({inf, -inf}).round()));
  CHECK(std::isnan(linear({nan, 1.0}).round()));
  CHECK(linear({max, max}).round() == inf);
  CHECK(linear({-max, -max}).round() == -inf);
  CHECK(linear({max, max, -max}).round() == max);  // no overflow on the way
  OrderIndependentSum a = linear({inf}), b = linear({-inf});
  a.merge(OrderIndependentSum::from_bytes(b.to_bytes()));
  CHECK(std::isnan(a.round()));
  CHECK(linear({5e-324}).round() == 5e-324);
  CHECK(linear({-5e-324, 2.5e-320}).round() == 2.5e-320 - 5e-324);
  CHECK(linear({2.2250738585072014e-308, -5e-324}).round() == 2.225073858507201e-308);
}

TEST_CASE("order-independent sum: a group that cancelled still displaces lower ones") {
  // Groups 18, 16, 14: the highest cancels, yet the lowest is dropped in every order.
  const double a = std::ldexp(1.0, 18 * 64 - 1023), b = std::ldexp(1.0, 16 * 64 - 1023),
               c = std::ldexp(1.0, 14 * 64 - 1023);
  std::vector<double> x{a, b, c, -a, -b};
  std::sort(x.begin(), x.end());
  const auto expected = linear(x);
  CHECK(expected.round() == 0.0);
  do {
    REQUIRE(linear(x) == expected);
  } while (std::next_permutation(x.begin(), x.end()));
}

TEST_CASE("order-independent sum: stored form") {
  // -1 = -2^52 * 2^(1023 - 1075): group 15 (1023 / 64), shift 63.
  const auto bytes = linear({-1.0}).to_bytes();
  std::vector<int> got;
  for (const auto b : bytes) got.push_back(std::to_integer<int>(b));
  std::vector<int> expected(40, 0);
  for (int i = 0; i < 19; ++i) expected[static_cast<std::size_t>(i)] = i < 14 ? 0 : 0xff;
  expected[14] = 0xf8;  // -2^115
  expected[19] = 15;
  CHECK(got == expected);
  const auto read = OrderIndependentSum::from_bytes(bytes);
  CHECK(read == linear({-1.0}));
  CHECK(read.round() == -1.0);
  // Lanes out of order, in which no sum is stored: no number, and so is what it is merged into.
  auto wrong = OrderIndependentSum::Bytes{};
  wrong[39] = std::byte{3};
  auto merged = linear({-1.0});
  merged.merge(OrderIndependentSum::from_bytes(wrong));
  CHECK(std::isnan(OrderIndependentSum::from_bytes(wrong).round()));
  CHECK(std::isnan(OrderIndependentSum::from_bytes(merged.to_bytes()).round()));
  const auto many = linear(std::vector<double>(1U << 20, 1.9999));
  CHECK(many == OrderIndependentSum::from_bytes(many.to_bytes()));
}

TEST_CASE("order-independent sum: speed", "[.bench]") {
  Random r(1);
  std::vector<double> x;
  for (int i = 0; i < 4096; ++i) x.push_back(uniform(r));
  OrderIndependentSum s;
  const auto begin = std::chrono::steady_clock::now();
  for (int k = 0; k < 2000; ++k) s.add(x);
  const std::chrono::duration<double> t = std::chrono::steady_clock::now() - begin;
  WARN("ns an addition: " << t.count() * 1e9 / (2000 * 4096) << ", sum " << s.round());
}
