// SPDX-License-Identifier: Apache-2.0
#include "verif/model/common/order_independent_sum.hpp"

#include <limits>

namespace ht::model {
namespace {

constexpr std::uint64_t kNan = 1, kPlusInf = 2, kMinusInf = 4;

/// Integer of 448 bits: a lane of 192 shifted left by up to four groups.
using Wide = std::array<std::uint64_t, 7>;

void negate(Wide& w) {
  std::uint64_t carry = 1;
  for (auto& word : w) {
    word = ~word + carry;
    carry = (carry != 0 && word == 0) ? 1 : 0;
  }
}

void add_shifted(Wide& w, const std::array<std::uint64_t, 3>& lane, std::size_t words) {
  const std::uint64_t sign = 0 - (lane[2] >> 63);
  std::uint64_t carry = 0;
  for (std::size_t i = words; i < w.size(); ++i) {
    const std::uint64_t addend = i - words < 3 ? lane[i - words] : sign;
    const unsigned __int128 s = static_cast<unsigned __int128>(w[i]) + addend + carry;
    w[i] = static_cast<std::uint64_t>(s);
    carry = static_cast<std::uint64_t>(s >> 64);
  }
}

bool bit(const Wide& w, int i) {
  return ((w[static_cast<std::size_t>(i) / 64] >> (static_cast<unsigned>(i) % 64)) & 1) != 0;
}

/// magnitude * 2^exponent, rounded to nearest even. Its bits below 2^-1074 are zero.
double to_double(const Wide& magnitude, int exponent, bool negative) {
  int top = -1;
  for (int i = static_cast<int>(magnitude.size()) * 64 - 1; i >= 0 && top < 0; --i) {
    if (bit(magnitude, i)) top = i;
  }
  if (top < 0) return 0.0;
  const int weight = top + exponent;                                  // of the highest bit
  const int last_weight = weight - 52 < -1074 ? -1074 : weight - 52;  // of the last one kept
  const int last = last_weight - exponent;
  std::uint64_t significand = 0;
  for (int i = top; i >= last; --i) {
    significand = 2 * significand + (i >= 0 && bit(magnitude, i) ? 1 : 0);
  }
  bool half = last > 0 && bit(magnitude, last - 1);
  bool rest = false;
  for (int i = last - 2; i >= 0 && !rest; --i) rest = bit(magnitude, i);
  if (half && (rest || (significand & 1) != 0)) ++significand;
  // A biased exponent of 1 is also that of subnormals, which lack the hidden bit; rounding up to
  // the next power of two carries into the exponent by itself.
  const auto biased = static_cast<std::uint64_t>(last_weight + 1074);
  const std::uint64_t bits = (biased << 52) + significand;
  const std::uint64_t infinity = std::uint64_t{0x7ff} << 52;
  return std::bit_cast<double>((bits >= infinity ? infinity : bits) |
                               (negative ? std::uint64_t{1} << 63 : 0));
}

}  // namespace

void OrderIndependentSum::open(unsigned group) {
  if (group > high_.group) {
    low_ = high_;
    high_ = Lane{{}, group};
  } else {
    low_ = Lane{{}, group};
  }
}

void OrderIndependentSum::add_special(std::uint64_t bits, unsigned biased) {
  const std::uint64_t fraction = bits & kFraction;
  if (biased != 0) {
    flags_ |= fraction != 0 ? kNan : (bits >> 63) != 0 ? kMinusInf : kPlusInf;
  } else if (fraction != 0) {
    add_integer(0, fraction, 1, bits >> 63);
  }
}

void OrderIndependentSum::merge(const OrderIndependentSum& other) {
  flags_ |= other.flags_;
  for (const Lane* lane : {&other.high_, &other.low_}) {
    if (lane->group != high_.group && lane->group != low_.group) {
      if (lane->group < low_.group) continue;
      open(lane->group);
    }
    Lane& mine = lane->group == high_.group ? high_ : low_;
    mine.add(lane->word[0], lane->word[1], lane->word[2]);
  }
}

double OrderIndependentSum::round() const {
  const bool nan = (flags_ & kNan) != 0 || (flags_ & (kPlusInf | kMinusInf)) == 6;
  if (nan) return std::numeric_limits<double>::quiet_NaN();
  if (flags_ != 0) {
    const double infinity = std::numeric_limits<double>::infinity();
    return flags_ == kPlusInf ? infinity : -infinity;
  }
  Wide sum{};
  unsigned gap = high_.group - low_.group;
  unsigned base = low_.group;
  const bool high_empty = high_.word == std::array<std::uint64_t, 3>{};
  if (high_empty) {
    add_shifted(sum, low_.word, 0);
  } else if (gap <= 4) {
    add_shifted(sum, low_.word, 0);
    add_shifted(sum, high_.word, gap);
  } else {
    // The low lane is less than a 2^-128th of the high lane's unit: only its sign can matter.
    base = high_.group - 4;
    gap = 4;
    const bool minus = (low_.word[2] >> 63) != 0;
    const bool zero = low_.word == std::array<std::uint64_t, 3>{};
    const std::uint64_t fill = minus ? ~std::uint64_t{0} : 0;
    add_shifted(sum, {zero ? 0 : minus ? fill : 1, fill, fill}, 0);
    add_shifted(sum, high_.word, gap);
  }
  const bool negative = (sum.back() >> 63) != 0;
  if (negative) negate(sum);
  return to_double(sum, 64 * static_cast<int>(base) - 1075, negative);
}

OrderIndependentSum::Bytes OrderIndependentSum::to_bytes() const {
  Bytes bytes{};
  std::size_t at = 0;
  for (const Lane* lane : {&high_, &low_}) {
    for (std::size_t i = 0; i < 19; ++i) {
      bytes[at + i] = static_cast<std::byte>(lane->word[i / 8] >> (8 * (i % 8)));
    }
    const std::uint64_t flags = lane == &high_ ? flags_ : 0;
    bytes[at + 19] = static_cast<std::byte>(lane->group | (flags << 5));
    at += 20;
  }
  return bytes;
}

OrderIndependentSum OrderIndependentSum::from_bytes(std::span<const std::byte, kBytes> bytes) {
  OrderIndependentSum sum;
  std::size_t at = 0;
  for (Lane* lane : {&sum.high_, &sum.low_}) {
    for (std::size_t i = 0; i < 19; ++i) {
      lane->word[i / 8] |= std::to_integer<std::uint64_t>(bytes[at + i]) << (8 * (i % 8));
    }
    if ((lane->word[2] & (1U << 23)) != 0) lane->word[2] |= ~std::uint64_t{0} << 24;
    lane->group = std::to_integer<unsigned>(bytes[at + 19]) & 31U;
    at += 20;
  }
  sum.flags_ = std::to_integer<std::uint64_t>(bytes[19]) >> 5;
  const bool low_empty = sum.low_ == Lane{};
  if (sum.high_.group < sum.low_.group || (sum.high_.group == sum.low_.group && !low_empty)) {
    sum = {};
    sum.flags_ = kNan;
  }
  return sum;
}

}  // namespace ht::model
