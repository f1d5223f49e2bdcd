// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pieces of inner loops on two complex numbers a vector: (re, im, re, im).
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

/// v with the signs of the lanes multiplied by S0..S3 (+1 or -1).
template <class T, int S0, int S1, int S2, int S3>
HT_INLINE void flip(Vec4<T>& v) {
  using Mask = typename VectorOf<T>::Mask;
  constexpr auto kSign = sizeof(T) == 8 ? std::int64_t{1} << 63 : std::int64_t{-2147483648LL};
  using M = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
  constexpr auto kBit = static_cast<M>(kSign);
  const Mask mask = {S0 < 0 ? kBit : 0, S1 < 0 ? kBit : 0, S2 < 0 ? kBit : 0, S3 < 0 ? kBit : 0};
  v = (Vec4<T>)((Mask)v ^ mask);
}

/// (re, re), (im, im) and (im, re) of each number.
template <class V>
HT_INLINE void real_parts(V& out, const V& v) {
  out = __builtin_shufflevector(v, v, 0, 0, 2, 2);
}
template <class V>
HT_INLINE void imaginary_parts(V& out, const V& v) {
  out = __builtin_shufflevector(v, v, 1, 1, 3, 3);
}
template <class V>
HT_INLINE void swap_parts(V& out, const V& v) {
  out = __builtin_shufflevector(v, v, 1, 0, 3, 2);
}

/// out = a b of each pair of numbers, or conj(a) b; `swapped` is swap_parts of b. Rounded as
/// a.re b.re - a.im b.im and a.re b.im + a.im b.re (or + and -).
template <class T, bool Conjugate>
HT_INLINE void complex_product(Vec4<T>& out, const Vec4<T>& a, const Vec4<T>& b,
                               const Vec4<T>& swapped) {
  Vec4<T> re, im;
  real_parts(re, a);
  imaginary_parts(im, a);
  im = im * swapped;
  constexpr int kS = Conjugate ? 1 : -1;
  flip<T, kS, -kS, kS, -kS>(im);
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
