// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pieces of inner loops on vectors of complex numbers: (re, im, re, im), or twice that.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

template <class V>
constexpr int lanes_of = sizeof(V) / sizeof(V{}[0]);

/// v := lanes A, B, C, D of v, of each four of its lanes.
template <int A, int B, int C, int D, class V>
HT_INLINE void permute(V& v) {
  if constexpr (lanes_of<V> == 4) {
    v = __builtin_shufflevector(v, v, A, B, C, D);
  } else {
    v = __builtin_shufflevector(v, v, A, B, C, D, 4 + A, 4 + B, 4 + C, 4 + D);
  }
}

/// v with the signs of each four lanes multiplied by S0..S3 (+1 or -1).
template <int S0, int S1, int S2, int S3, class V>
HT_INLINE void flip(V& v) {
  using Mask = decltype(v < v);
  using Word = std::conditional_t<sizeof(V{}[0]) == 8, std::int64_t, std::int32_t>;
  constexpr Word kSign = std::numeric_limits<Word>::min();
  constexpr Word k0 = S0 < 0 ? kSign : 0, k1 = S1 < 0 ? kSign : 0, k2 = S2 < 0 ? kSign : 0,
                 k3 = S3 < 0 ? kSign : 0;
  if constexpr (lanes_of<V> == 4) {
    v = (V)((Mask)v ^ Mask{k0, k1, k2, k3});
  } else {
    v = (V)((Mask)v ^ Mask{k0, k1, k2, k3, k0, k1, k2, k3});
  }
}

/// out = a b of each number, or conj(a) b; `swapped` is b with re and im exchanged. Rounded as
/// a.re b.re - a.im b.im and a.re b.im + a.im b.re (or + and -).
template <bool Conjugate, class V>
HT_INLINE void complex_product(V& out, const V& a, const V& b, const V& swapped) {
  V re = a, im = a;
  permute<0, 0, 2, 2>(re);
  permute<1, 1, 3, 3>(im);
  im = im * swapped;
  constexpr int kS = Conjugate ? 1 : -1;
  flip<kS, -kS, kS, -kS>(im);
  out = re * b + im;
}

/// Asks for the cache lines of an object.
template <class Object>
HT_INLINE void fetch(const Object& object) {
  const auto* const first = reinterpret_cast<const char*>(&object);
  for (std::size_t i = 0; i < sizeof(Object); i += 64) __builtin_prefetch(first + i);
  __builtin_prefetch(first + sizeof(Object) - 1);
}

}  // namespace ht::dirac
