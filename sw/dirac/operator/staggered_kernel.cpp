// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/staggered_kernel.hpp"

#include <cstring>

#include "sw/dirac/operator/vector.hpp"

namespace ht::dirac {
namespace {

template <class T>
HT_INLINE const ColourVector<T>& neighbour(const StaggeredArguments<T>& a, std::int32_t n,
                                           int hop) {
  return n >= 0 ? a.in[n] : a.halo[static_cast<std::size_t>(hop)][~n];
}

template <class T>
HT_INLINE void sum_of_hops(const StaggeredArguments<T>& a, std::int32_t target) {
  const std::int32_t* const n = a.neighbours + std::ptrdiff_t{target} * a.hops;
  const HopPair<T>* const m = a.matrices + std::ptrdiff_t{target} * (a.hops / 2);
  Vec2<T> sum[3] = {};
  for (int hop = 0; hop < a.hops; hop += 2) {
    const ColourVector<T>& first = neighbour(a, n[hop], hop);
    const ColourVector<T>& second = neighbour(a, n[hop + 1], hop + 1);
    Vec4<T> v[3], swapped[3];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      Vec2<T> one, other;
      std::memcpy(&one, first.c[c], sizeof one);
      std::memcpy(&other, second.c[c], sizeof other);
      v[c] = __builtin_shufflevector(one, other, 0, 1, 2, 3);
      swapped[c] = v[c];
      permute<1, 0, 3, 2>(swapped[c]);
    }
#pragma GCC unroll 3
    for (int i = 0; i < 3; ++i) {
      Vec4<T> p0, p1, p2;
      complex_product<false>(p0, m[hop / 2].e[i][0], v[0], swapped[0]);
      complex_product<false>(p1, m[hop / 2].e[i][1], v[1], swapped[1]);
      complex_product<false>(p2, m[hop / 2].e[i][2], v[2], swapped[2]);
      const Vec4<T> row = p0 + p1 + p2;
      sum[i] += __builtin_shufflevector(row, row, 0, 1);
      sum[i] += __builtin_shufflevector(row, row, 2, 3);
    }
  }
  std::memcpy(&a.out[target], sum, sizeof sum);
}

template <class T>
struct StaggeredSum {
  static HT_INLINE void run(const StaggeredArguments<T>& a) {
    for (const std::int32_t target : a.targets) sum_of_hops(a, target);
  }
};

}  // namespace

template <class T>
LoopOn<StaggeredArguments<T>> staggered_kernel(Isa isa) {
  return compiled_for<StaggeredSum<T>, StaggeredArguments<T>>(isa);
}

template LoopOn<StaggeredArguments<double>> staggered_kernel<double>(Isa);
template LoopOn<StaggeredArguments<float>> staggered_kernel<float>(Isa);

}  // namespace ht::dirac
