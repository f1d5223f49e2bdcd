// SPDX-License-Identifier: Apache-2.0
#include "tests/model/sum_exact.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/model/big_accumulator.hpp"
#include "tests/model/sum_classes.hpp"
#include "verif/model/common/order_independent_sum.hpp"

namespace ht::test {
namespace {

using model::OrderIndependentSum;
using Random = std::mt19937_64;

/// Sum over a random tree, the state going through its 40 bytes at every merge.
OrderIndependentSum over_tree(const double* x, std::size_t n, Random& r) {
  OrderIndependentSum s;
  if (n < 32) {
    for (std::size_t i = 0; i < n; ++i) s.add(x[i]);
    return s;
  }
  const std::size_t left = 1 + r() % (n - 1);
  s = over_tree(x, left, r);
  s.merge(OrderIndependentSum::from_bytes(over_tree(x + left, n - left, r).to_bytes()));
  return s;
}

int group_of(double x) {
  int exponent = 0;
  std::frexp(x, &exponent);  // in [1/2, 1): the biased exponent is this + 1022
  return std::max(exponent + 1022, 1) / 64;
}

struct Expected {
  bool nan = false, plus = false, minus = false;
  BigAccumulator kept, all;
  double largest = 0;
};

Expected exactly(const std::vector<double>& x) {
  Expected e;
  int high = -1, low = -1;
  for (const double v : x) {
    if (!std::isfinite(v) || v == 0) continue;
    const int g = group_of(v);
    if (g > high) {
      low = high;
      high = g;
    } else if (g > low && g != high) {
      low = g;
    }
  }
  for (const double v : x) {
    if (std::isnan(v)) {
      e.nan = true;
    } else if (std::isinf(v)) {
      (v > 0 ? e.plus : e.minus) = true;
    } else if (v != 0) {
      e.all.add(v);
      if (group_of(v) >= std::max(low, 0)) e.kept.add(v);
      e.largest = std::max(e.largest, std::fabs(v));
    }
  }
  return e;
}

/// Whether `error`, the exact sum less the result, is within n 2^-64 max|x| and half a last place.
bool within_bound(BigAccumulator error, std::size_t n, double largest, double result) {
  error.add(-result);
  int exponent = 0;
  const long double fraction = error.magnitude_fraction(exponent);
  const double place = std::nextafter(std::fabs(result), HUGE_VAL) - std::fabs(result);
  // Doubles' range is too short for the smallest errors, long double's is not.
  const long double bound = std::ldexp(static_cast<long double>(n) * largest, -64) + 0.5L * place;
  return std::ldexp(fraction, exponent) <= bound * (1 + 1e-15L);
}

void check_batch(std::vector<double>& x, Random& r) {
  OrderIndependentSum sum;
  sum.add(x);
  const auto bytes = sum.to_bytes();
  REQUIRE(over_tree(x.data(), x.size(), r).to_bytes() == bytes);
  std::shuffle(x.begin(), x.end(), r);
  REQUIRE(over_tree(x.data(), x.size(), r).to_bytes() == bytes);

  const Expected e = exactly(x);
  const double result = sum.round();
  if (e.nan || (e.plus && e.minus)) {
    REQUIRE(std::isnan(result));
  } else if (e.plus || e.minus) {
    REQUIRE(result == (e.plus ? HUGE_VAL : -HUGE_VAL));
  } else {
    REQUIRE(std::bit_cast<std::uint64_t>(result) == std::bit_cast<std::uint64_t>(e.kept.rounded()));
    if (std::isfinite(result)) REQUIRE(within_bound(e.all, x.size(), e.largest, result));
  }
}

}  // namespace

void check_sums_exactly(std::size_t total) {
  const auto classes = sum_classes();
  for (std::size_t c = 0; c < classes.size(); ++c) {
    INFO(classes[c].name);
    Random r(total + c);
    std::vector<double> x;
    std::size_t done = 0, batches = 0;
    while (done < total / classes.size() + 1) {
      x.resize(std::size_t{1} << (batches % 18));
      for (double& v : x) v = classes[c].draw(r);
      check_batch(x, r);
      done += x.size();
      ++batches;
    }
    REQUIRE(batches >= 17);
  }
}

}  // namespace ht::test
