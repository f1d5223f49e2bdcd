// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/fault_random.hpp"

#include <Random123/philox.h>

namespace ht::sim {

std::uint64_t FaultRandom::draw(Stream stream, std::uint64_t number) const {
  const auto half = [](std::uint64_t x, int shift) {
    return static_cast<std::uint32_t>(x >> shift);
  };
  const r123::Philox4x32::ctr_type counter = {{half(number, 0), half(number, 32), cable_, stream}};
  const r123::Philox4x32::key_type key = {{half(seed_, 0), half(seed_, 32)}};
  const auto out = r123::Philox4x32()(counter, key);
  return (std::uint64_t{out[1]} << 32) | out[0];
}

std::uint64_t FaultRandom::below(Stream stream, std::uint64_t number, std::uint64_t n) const {
  const auto product = static_cast<unsigned __int128>(draw(stream, number)) * n;
  return static_cast<std::uint64_t>(product >> 64);
}

std::int64_t geometric_gap(std::uint64_t random, double p) {
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  if (p >= 1) return 0;
  // (0, 1]: 53 bits, never 0. P(gap >= k) = P(u <= (1 - p)^k).
  const double u = static_cast<double>((random >> 11) + 1) * 0x1p-53;
  const double gap = minus_log(u) / minus_log_1m(p);
  return gap < static_cast<double>(kMost) ? static_cast<std::int64_t>(gap) : kMost;
}

}  // namespace ht::sim
