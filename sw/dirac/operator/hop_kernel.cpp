// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/hop_kernel.hpp"

#include "sw/host/errors.hpp"

// Vectors wider than the baseline's registers are passed only between functions that are inlined.
#pragma GCC diagnostic ignored "-Wpsabi"
#define HT_INLINE inline __attribute__((always_inline))

namespace ht::dirac {
namespace {

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

/// v := E B v, where gamma_axis = (0 B; B^dagger 0) in the DeGrand-Rossi basis:
/// B_x = (0 i; i 0), B_y = (0 -1; 1 0), B_z = (i 0; 0 -i), B_t = 1; B^dagger = -B for x, y, z.
template <class T, int Axis, int E>
HT_INLINE void apply_b(Vec4<T>& v) {
  if constexpr (Axis == 0) {
    v = __builtin_shufflevector(v, v, 3, 2, 1, 0);
    flip<T, -E, E, -E, E>(v);
  } else if constexpr (Axis == 1) {
    v = __builtin_shufflevector(v, v, 2, 3, 0, 1);
    flip<T, -E, -E, E, E>(v);
  } else if constexpr (Axis == 2) {
    v = __builtin_shufflevector(v, v, 1, 0, 3, 2);
    flip<T, -E, E, E, -E>(v);
  } else if constexpr (E < 0) {
    flip<T, -1, -1, -1, -1>(v);
  }
}

/// h = the upper half of (1 + E gamma_axis) psi.
template <class T, int Axis, int E>
HT_INLINE void project(Vec4<T> (&h)[3], const Spinor<T>& psi) {
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    Vec4<T> lower = psi.c[c][1];
    apply_b<T, Axis, E>(lower);
    h[c] = psi.c[c][0] + lower;
  }
}

/// Adds to sum the spinor whose upper half is g: its lower half is E B^dagger g.
template <class T, int Axis, int E>
HT_INLINE void reconstruct(Vec4<T> (&sum)[3][2], int colour, const Vec4<T>& g) {
  Vec4<T> lower = g;
  apply_b<T, Axis, Axis == 3 ? E : -E>(lower);
  sum[colour][0] += g;
  sum[colour][1] += lower;
}

/// g = row `a` of u h, or of u^dagger h.
template <class T, bool Adjoint>
HT_INLINE void row_times(Vec4<T>& g, const Matrix<T>& u, int a, const Vec4<T> (&h)[3]) {
  const auto& m0 = Adjoint ? u.e[0][a] : u.e[a][0];
  const auto& m1 = Adjoint ? u.e[1][a] : u.e[a][1];
  const auto& m2 = Adjoint ? u.e[2][a] : u.e[a][2];
  const Vec4<T> re = m0[0] * h[0] + m1[0] * h[1] + m2[0] * h[2];
  Vec4<T> im = m0[1] * h[0] + m1[1] * h[1] + m2[1] * h[2];
  im = __builtin_shufflevector(im, im, 1, 0, 3, 2);
  constexpr int kS = Adjoint ? 1 : -1;
  flip<T, kS, -kS, kS, -kS>(im);  // i im, or -i im
  g = re + im;
}

/// The contribution of one direction. Halo: the neighbour may be in a halo.
template <class T, int Direction, int Sign, bool Halo>
HT_INLINE void add_direction(Vec4<T> (&sum)[3][2], const HopArguments<T>& a, int target) {
  constexpr int kAxis = Direction / 2;
  constexpr bool kBackward = Direction % 2 == 1;
  constexpr int kE = kBackward ? Sign : -Sign;
  const std::int32_t n = a.neighbours[target][Direction];
  Vec4<T> h[3];
  if (Halo && n < 0) {
    const HalfSpinor<T>& half = a.halo[Direction][~n];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) h[c] = half.c[c];
    if (kBackward) {  // the sender has multiplied by U^dagger
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) reconstruct<T, kAxis, kE>(sum, c, h[c]);
      return;
    }
  } else {
    project<T, kAxis, kE>(h, a.in[n]);
  }
  const Matrix<T>& u = a.links[kBackward ? a.source_begin + n : a.target_begin + target][kAxis];
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    Vec4<T> g;
    row_times<T, kBackward>(g, u, c, h);
    reconstruct<T, kAxis, kE>(sum, c, g);
  }
}

/// Asks for the cache lines of an object.
template <class Object>
HT_INLINE void fetch(const Object& object) {
  const auto* const first = reinterpret_cast<const char*>(&object);
  for (std::size_t i = 0; i < sizeof(Object); i += 64) __builtin_prefetch(first + i);
  __builtin_prefetch(first + sizeof(Object) - 1);
}

/// Asks for what a target needs: neighbours lie far apart in three of the directions, where a
/// processor's own prefetching does not find them.
template <class T, bool Halo>
HT_INLINE void fetch_target(const HopArguments<T>& a, std::int32_t target) {
  fetch(a.links[a.target_begin + target]);
#pragma GCC unroll 8
  for (int d = 0; d < kDirections; ++d) {
    const std::int32_t n = a.neighbours[target][static_cast<std::size_t>(d)];
    if (Halo && n < 0) continue;
    fetch(a.in[n]);
    if (d % 2 == 1) fetch(a.links[a.source_begin + n][static_cast<std::size_t>(d / 2)]);
  }
}

template <class T, int Sign, bool Halo>
HT_INLINE void hop(const HopArguments<T>& a) {
  constexpr std::size_t kAhead = 2;  // targets
  for (std::size_t i = 0; i < a.targets.size(); ++i) {
    const std::int32_t target = a.targets[i];
    if (i + kAhead < a.targets.size()) fetch_target<T, Halo>(a, a.targets[i + kAhead]);
    Vec4<T> sum[3][2] = {};
    // One order at every site, whether its neighbours are here or on other nodes.
    add_direction<T, 0, Sign, Halo>(sum, a, target);
    add_direction<T, 1, Sign, Halo>(sum, a, target);
    add_direction<T, 2, Sign, Halo>(sum, a, target);
    add_direction<T, 3, Sign, Halo>(sum, a, target);
    add_direction<T, 4, Sign, Halo>(sum, a, target);
    add_direction<T, 5, Sign, Halo>(sum, a, target);
    add_direction<T, 6, Sign, Halo>(sum, a, target);
    add_direction<T, 7, Sign, Halo>(sum, a, target);
    Spinor<T>& out = a.out[target];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) {
      out.c[c][0] = sum[c][0];
      out.c[c][1] = sum[c][1];
    }
  }
}

template <class T, int Sign, int Direction>
HT_INLINE void pack(const PackArguments<T>& a) {
  constexpr int kAxis = Direction / 2;
  constexpr bool kForwardForReceiver = Direction % 2 == 1;
  constexpr int kE = kForwardForReceiver ? -Sign : Sign;
  HalfSpinor<T>* out = a.out;
  for (const std::int32_t source : a.sources) {
    Vec4<T> h[3];
    project<T, kAxis, kE>(h, a.in[source]);
    if (kForwardForReceiver) {
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) out->c[c] = h[c];
    } else {
      const Matrix<T>& u = a.links[a.source_begin + source][kAxis];
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) row_times<T, true>(out->c[c], u, c, h);
    }
    ++out;
  }
}

struct Baseline {
#define HT_TARGET
#include "sw/dirac/operator/hop_kernel_entries.inc"
#undef HT_TARGET
};

#if defined(__x86_64__)
struct Avx2 {
#define HT_TARGET __attribute__((target("avx2")))
#include "sw/dirac/operator/hop_kernel_entries.inc"
#undef HT_TARGET
};
#endif

template <class Entries, class T, int Sign>
constexpr HopKernel<T> kKernel = {
    &Entries::template interior<T, Sign>,
    &Entries::template boundary<T, Sign>,
    {&Entries::template pack_face<T, Sign, 0>, &Entries::template pack_face<T, Sign, 1>,
     &Entries::template pack_face<T, Sign, 2>, &Entries::template pack_face<T, Sign, 3>,
     &Entries::template pack_face<T, Sign, 4>, &Entries::template pack_face<T, Sign, 5>,
     &Entries::template pack_face<T, Sign, 6>, &Entries::template pack_face<T, Sign, 7>}};

}  // namespace

bool has_avx2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0;
#else
  return false;
#endif
}

template <class T>
const HopKernel<T>& hop_kernel(int sign, Isa isa) {
  if (isa == Isa::Auto) isa = has_avx2() ? Isa::Avx2 : Isa::Baseline;
#if defined(__x86_64__)
  if (isa == Isa::Avx2 && has_avx2()) {
    return sign > 0 ? kKernel<Avx2, T, 1> : kKernel<Avx2, T, -1>;
  }
#endif
  if (isa == Isa::Avx2) throw UsageError("this computer has no AVX2; use the baseline kernels");
  return sign > 0 ? kKernel<Baseline, T, 1> : kKernel<Baseline, T, -1>;
}

template const HopKernel<double>& hop_kernel<double>(int, Isa);
template const HopKernel<float>& hop_kernel<float>(int, Isa);

}  // namespace ht::dirac
