// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace ht::test {

/// Kinds of doubles that sums are tested with.
struct SumClass {
  std::string name;
  std::function<double(std::mt19937_64&)> draw;
};

inline std::vector<SumClass> sum_classes() {
  using Random = std::mt19937_64;
  const auto uniform = [](Random& r) {
    return std::ldexp(static_cast<double>(r() >> 11), -53) - 0.5;
  };
  const auto scaled = [uniform](int low, int high) {
    return [=](Random& r) {
      const int e = low + static_cast<int>(r() % static_cast<unsigned>(high - low + 1));
      return std::ldexp(uniform(r), e);
    };
  };
  const auto any = [](Random& r) {
    for (;;) {
      const auto x = std::bit_cast<double>(r());
      if (std::isfinite(x)) return x;
    }
  };
  // Every other one is the negative of one before, so that nearly all cancels.
  const auto cancelling = [](std::function<double(Random&)> draw) {
    return [draw, last = 0.0, minus = false](Random& r) mutable {
      minus = !minus;
      return minus ? last = draw(r) : -last;
    };
  };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return {
      {"about one", uniform},
      {"wide range", any},
      {"wide range, cancelling", cancelling(any)},
      {"about one, cancelling", cancelling(uniform)},
      {"neighbouring groups", scaled(-100, 60)},
      {"subnormal and smallest normal", scaled(-1080, -1000)},
      {"signed zeros",
       [](Random& r) {
         return r() % 64 != 0 ? std::copysign(0.0, r() % 2 == 0 ? 1.0 : -1.0) : 0x1p-1074;
       }},
      {"infinities",
       [=](Random& r) {
         return r() % 4096 == 0 ? (r() % 8 == 0 ? -kInfinity : kInfinity) : uniform(r);
       }},
      {"NaN", [=](Random& r) { return r() % 65536 == 0 ? std::nan("") : uniform(r); }},
  };
}

}  // namespace ht::test
