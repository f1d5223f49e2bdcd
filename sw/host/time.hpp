// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace ht {

/// Simulated time, in integer picoseconds since the machine was switched on.
using Picoseconds = std::int64_t;

constexpr Picoseconds operator""_ps(unsigned long long t) {
  return static_cast<Picoseconds>(t);
}
constexpr Picoseconds operator""_ns(unsigned long long t) {
  return static_cast<Picoseconds>(t) * 1000;
}
constexpr Picoseconds operator""_us(unsigned long long t) {
  return static_cast<Picoseconds>(t) * 1'000'000;
}

}  // namespace ht
