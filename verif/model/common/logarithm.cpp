// SPDX-License-Identifier: Apache-2.0
#include "verif/model/common/logarithm.hpp"

#include <array>
#include <bit>
#include <cstdint>

namespace ht::model {
namespace {

constexpr double kLn2 = 0.693147180559945309417;

/// 1 / (2 k + 1)
constexpr auto kInverse = [] {
  std::array<double, 13> table{};
  for (std::size_t k = 0; k < table.size(); ++k) table[k] = 1.0 / static_cast<double>(2 * k + 1);
  return table;
}();

/// 2 atanh(s) = ln((1 + s) / (1 - s)) by its series; |s| <= 0.172 needs 11 terms.
double twice_atanh(double s) {
  const double square = s * s;
  double sum = 0;
  for (std::size_t k = kInverse.size(); k-- > 0;) sum = sum * square + kInverse[k];
  return 2 * s * sum;
}

}  // namespace

double minus_log(double x) {
  // x = m 2^e with m from [sqrt(1/2), sqrt(2)), so that the series converges fast.
  const auto bits = std::bit_cast<std::uint64_t>(x);
  int e = static_cast<int>(bits >> 52) - 1023;
  auto m = std::bit_cast<double>((bits & 0xfffffffffffffULL) | (std::uint64_t{1023} << 52));
  if (m > 1.4142135623730951) {
    m *= 0.5;
    ++e;
  }
  return -(static_cast<double>(e) * kLn2) - twice_atanh((m - 1) / (m + 1));
}

double minus_log_1m(double p) {
  return p < 0.25 ? twice_atanh(p / (2 - p)) : minus_log(1 - p);
}

}  // namespace ht::model
