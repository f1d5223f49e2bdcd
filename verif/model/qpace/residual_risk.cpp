// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qpace/residual_risk.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace ht::model {
namespace {

// x^i mod g, i from 0 to bits - 1.
std::vector<std::uint32_t> syndromes(std::uint32_t polynomial, unsigned width, unsigned bits) {
  std::vector<std::uint32_t> s(bits);
  const std::uint32_t top = 1U << (width - 1), mask = top | (top - 1);
  std::uint32_t x = 1;
  for (std::uint32_t& value : s) {
    value = x;
    x = ((x << 1) ^ ((x & top) != 0 ? polynomial : 0U)) & mask;
  }
  return s;
}

struct Pair {
  std::uint32_t value;
  std::uint16_t i, j;
};

// Tells most values that are not there apart from those that are, out of the processor's cache.
class Filter {
 public:
  explicit Filter(const std::vector<Pair>& pairs) : bits_((1U << kLog) / 64) {
    for (const Pair& p : pairs) bits_[hash(p.value) / 64] |= std::uint64_t{1} << hash(p.value) % 64;
  }
  bool maybe(std::uint32_t value) const {
    return (bits_[hash(value) / 64] >> hash(value) % 64 & 1) != 0;
  }

 private:
  static constexpr unsigned kLog = 24;
  static std::uint32_t hash(std::uint32_t value) {
    return (value ^ value >> 13) & ((1U << kLog) - 1);
  }
  std::vector<std::uint64_t> bits_;
};

double binomial(unsigned n, unsigned k) {
  double b = 1;
  for (unsigned i = 0; i < k; ++i) b = b * (n - i) / (i + 1);
  return b;
}

// ber^w (1 - ber)^(n - w)
double exactly(double ber, unsigned n, unsigned w) {
  return std::pow(ber, w) * std::pow(1 - ber, n - w);
}

}  // namespace

std::uint64_t weight6_codewords(std::uint32_t polynomial, unsigned width, unsigned bits) {
  const auto s = syndromes(polynomial, width, bits);
  // Code words with their lowest bit at 0; one that spans m + 1 bits lies in `bits` bits in
  // bits - m places.
  std::vector<Pair> pairs;
  for (unsigned i = 1; i < bits; ++i) {
    for (unsigned j = i + 1; j < bits; ++j)
      pairs.push_back(
          {s[0] ^ s[i] ^ s[j], static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(j)});
  }
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.value < b.value; });
  const Filter filter(pairs);
  std::uint64_t count = 0;
  for (unsigned m = 3; m < bits; ++m) {
    for (unsigned l = 2; l < m; ++l) {
      const std::uint32_t two = s[m] ^ s[l];
      for (unsigned k = 1; k < l; ++k) {
        const std::uint32_t three = two ^ s[k];
        if (!filter.maybe(three)) continue;
        auto it = std::lower_bound(pairs.begin(), pairs.end(), three,
                                   [](const Pair& p, std::uint32_t v) { return p.value < v; });
        for (; it != pairs.end() && it->value == three; ++it) {
          const unsigned i = it->i, j = it->j;
          if (i == k || i == l || i == m || j == k || j == l || j == m) continue;
          count += bits - std::max(j, m);
        }
      }
    }
  }
  return count / 10;  // five bits besides the lowest: ten ways to choose the pair
}

unsigned least_even_weight(std::uint32_t polynomial, unsigned width, unsigned bits) {
  unsigned ones = 1;  // the leading term
  for (unsigned i = 0; i < width; ++i) ones += polynomial >> i & 1U;
  if (ones % 2 != 0)
    throw std::invalid_argument("this polynomial is not divisible by x + 1: it has odd code words");
  const auto s = syndromes(polynomial, width, bits);
  std::vector<std::uint32_t> two;
  for (unsigned i = 0; i < bits; ++i) {
    for (unsigned j = i + 1; j < bits; ++j) two.push_back(s[i] ^ s[j]);
  }
  std::sort(two.begin(), two.end());
  if (two.front() == 0) return 2;
  // Equal sums of two pairs that share no bit; sharing one, they would make a word of weight 2.
  return std::adjacent_find(two.begin(), two.end()) == two.end() ? 6 : 4;
}

double packet_risk(double ber, std::uint64_t weight6) {
  constexpr unsigned bits = 1080;
  double risk = static_cast<double>(weight6) * exactly(ber, bits, 6);
  for (unsigned w = 8; w < 100; w += 2) risk += binomial(bits, w) * 0x1p-31 * exactly(ber, bits, w);
  return risk;
}

double LineRisk::operator()(double ber) const {
  double risk = 0;
  for (unsigned k = 1; k < ways.size(); ++k) risk += ways[k] * exactly(ber, 1360, k);
  return risk;
}

double CommandRisk::data(double ber) const {
  double risk = 0;
  for (unsigned w = 1; w < weights.size(); ++w)
    risk += static_cast<double>(weights[w]) * exactly(ber, 24, w);
  return risk;
}

double CommandRisk::line(double ber) const {
  double risk = 0;
  for (unsigned d = 1; d < ways_.size(); ++d) risk += ways_[d] * exactly(ber, 40, d);
  return risk;
}

}  // namespace ht::model
