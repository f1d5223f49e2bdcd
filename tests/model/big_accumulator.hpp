// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cmath>
#include <cstdint>

namespace ht::test {

/// Every finite double is an integer multiple of 2^-1074: this adds them exactly, in 2304 bits.
/// Written for the tests only, and by other means (frexp, 32-bit digits) than what it judges.
class BigAccumulator {
 public:
  void add(double x) {
    if (x == 0.0) return;
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(x), &exponent);          // in [1/2, 1)
    auto integer = static_cast<std::uint64_t>(std::ldexp(fraction, 53));  // exact
    int shift = exponent - 53 + 1074;
    while (shift < 0) {  // subnormal: the bits shifted out are zero
      integer >>= 1;
      ++shift;
    }
    auto digit = static_cast<std::size_t>(shift / 32);
    unsigned __int128 v = static_cast<unsigned __int128>(integer) << (shift % 32);
    std::int64_t carry = 0;
    for (; digit < digits_.size(); ++digit) {
      const auto part = static_cast<std::int64_t>(static_cast<std::uint32_t>(v));
      v >>= 32;
      std::int64_t s = static_cast<std::int64_t>(digits_[digit]) + (x < 0 ? -part : part) + carry;
      digits_[digit] = static_cast<std::uint32_t>(s);
      carry = s >> 32;
      if (v == 0 && carry == 0) break;
    }
  }

  bool negative() const { return (digits_.back() >> 31) != 0; }

  BigAccumulator magnitude() const {
    BigAccumulator m = *this;
    if (negative()) {
      std::uint64_t carry = 1;
      for (auto& d : m.digits_) {
        carry += static_cast<std::uint32_t>(~d);
        d = static_cast<std::uint32_t>(carry);
        carry >>= 32;
      }
    }
    return m;
  }

  /// |sum| as a fraction in [1/2, 1) and an exponent of two, cut after 64 bits.
  long double magnitude_fraction(int& exponent) const {
    const BigAccumulator m = magnitude();
    long double value = 0;
    int used = 0;
    exponent = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      if (used == 0 && m.digits_[i] == 0) continue;
      if (used == 0) exponent = static_cast<int>(32 * (i + 1)) - 1074;
      if (++used > 3) break;
      value += std::ldexp(static_cast<long double>(m.digits_[i]), -32 * used);
    }
    int more = 0;
    value = std::frexp(value, &more);
    exponent += more;
    return value;
  }

  /// The sum rounded to nearest even: the double whose distance is least, found by trying.
  double rounded() const {
    int exponent = 0;
    const long double fraction = magnitude_fraction(exponent);
    if (fraction == 0) return 0.0;
    if (exponent > 1024) return negative() ? -HUGE_VAL : HUGE_VAL;
    const auto guess = static_cast<double>(std::ldexp(fraction, exponent));
    if (std::isinf(guess)) return negative() ? -HUGE_VAL : HUGE_VAL;
    double best = guess;
    for (const double other : {std::nextafter(guess, 0.0), std::nextafter(guess, HUGE_VAL)}) {
      if (std::isinf(other)) continue;
      const int c = compare(distance(other), distance(best));
      const bool even =
          (static_cast<std::uint64_t>(std::ldexp(std::frexp(other, &exponent), 53)) & 1) == 0;
      if (c < 0 || (c == 0 && even)) best = other;
    }
    return negative() ? -best : best;
  }

  bool operator==(const BigAccumulator&) const = default;

 private:
  static constexpr std::size_t kDigits = 72;

  BigAccumulator distance(double size) const {
    BigAccumulator d = magnitude();
    d.add(-size);
    return d.magnitude();
  }
  static int compare(const BigAccumulator& a, const BigAccumulator& b) {
    for (std::size_t i = kDigits; i-- > 0;) {
      if (a.digits_[i] != b.digits_[i]) return a.digits_[i] < b.digits_[i] ? -1 : 1;
    }
    return 0;
  }
  std::array<std::uint32_t, kDigits> digits_{};
};

}  // namespace ht::test
