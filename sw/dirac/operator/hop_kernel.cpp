// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/hop_kernel.hpp"

#include <utility>

#include "sw/dirac/operator/vector.hpp"

namespace ht::dirac {
namespace {

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

/// The contribution of one direction to a target's spinor. Halo: the neighbour may be in a halo.
template <class T, int Direction, int Sign, bool Halo>
HT_INLINE void add_direction(Vec4<T> (&sum)[3][2], const HopArguments<T>& a, int field,
                             int target) {
  constexpr int kAxis = Direction / 2;
  constexpr bool kBackward = Direction % 2 == 1;
  constexpr int kE = kBackward ? Sign : -Sign;
  const std::int32_t n = a.neighbours[target][Direction];
  Vec4<T> h[3];
  if (Halo && n < 0) {
    const HalfSpinor<T>& half = a.halo[Direction][~n * a.fields + field];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) h[c] = half.c[c];
    if (kBackward) {  // the sender has multiplied by U^dagger
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) reconstruct<T, kAxis, kE>(sum, c, h[c]);
      return;
    }
  } else {
    project<T, kAxis, kE>(h, a.in[n * a.fields + field]);
  }
  const Matrix<T>& u = a.links[target][Direction];
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    Vec4<T> g;
    row_times<T, kBackward>(g, u, c, h);
    reconstruct<T, kAxis, kE>(sum, c, g);
  }
}

/// Asks for what a target's spinor needs: neighbours lie far apart in three of the directions,
/// where a processor's own prefetching does not find them.
template <class T, bool Halo>
HT_INLINE void fetch_target(const HopArguments<T>& a, int field, std::int32_t target) {
  if (field == 0) fetch(a.links[target]);
#pragma GCC unroll 8
  for (std::size_t d = 0; d < kDirections; ++d) {
    const std::int32_t n = a.neighbours[target][d];
    if (Halo && n < 0) continue;
    fetch(a.in[n * a.fields + field]);
  }
}

template <class T, int Sign, bool Halo>
HT_INLINE void hop(const HopArguments<T>& a) {
  constexpr int kAhead = 2;  // spinors
  int ahead_field = kAhead % a.fields;
  auto ahead = static_cast<std::size_t>(kAhead / a.fields);
  for (const std::int32_t target : a.targets) {
    for (int field = 0; field < a.fields; ++field) {
      if (ahead < a.targets.size()) fetch_target<T, Halo>(a, ahead_field, a.targets[ahead]);
      if (++ahead_field == a.fields) {
        ahead_field = 0;
        ++ahead;
      }
      Vec4<T> sum[3][2] = {};
      // One order at every site, whether its neighbours are here or on other nodes.
      add_direction<T, 0, Sign, Halo>(sum, a, field, target);
      add_direction<T, 1, Sign, Halo>(sum, a, field, target);
      add_direction<T, 2, Sign, Halo>(sum, a, field, target);
      add_direction<T, 3, Sign, Halo>(sum, a, field, target);
      add_direction<T, 4, Sign, Halo>(sum, a, field, target);
      add_direction<T, 5, Sign, Halo>(sum, a, field, target);
      add_direction<T, 6, Sign, Halo>(sum, a, field, target);
      add_direction<T, 7, Sign, Halo>(sum, a, field, target);
      Spinor<T>& out = a.out[target * a.fields + field];
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        out.c[c][0] = sum[c][0];
        out.c[c][1] = sum[c][1];
      }
    }
  }
}

template <class T, int Sign, int Direction>
HT_INLINE void pack(const PackArguments<T>& a) {
  constexpr int kAxis = Direction / 2;
  constexpr bool kForwardForReceiver = Direction % 2 == 1;
  constexpr int kE = kForwardForReceiver ? -Sign : Sign;
  HalfSpinor<T>* out = a.out;
  for (std::size_t slot = 0; slot < a.sources.size(); ++slot) {
    for (int field = 0; field < a.fields; ++field, ++out) {
      Vec4<T> h[3];
      project<T, kAxis, kE>(h, a.in[a.sources[slot] * a.fields + field]);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        if (kForwardForReceiver) {
          out->c[c] = h[c];
        } else {
          row_times<T, true>(out->c[c], a.links[slot], c, h);
        }
      }
    }
  }
}

template <class T, int Sign, bool Halo>
struct Hop {
  static HT_INLINE void run(const HopArguments<T>& a) { hop<T, Sign, Halo>(a); }
};

template <class T, int Sign, int Direction>
struct Pack {
  static HT_INLINE void run(const PackArguments<T>& a) { pack<T, Sign, Direction>(a); }
};

template <class T, int Sign>
HopKernel<T> kernel_for(Isa isa) {
  HopKernel<T> kernel{compiled_for<Hop<T, Sign, false>, HopArguments<T>>(isa),
                      compiled_for<Hop<T, Sign, true>, HopArguments<T>>(isa),
                      {}};
  [&]<std::size_t... D>(std::index_sequence<D...>) {
    ((kernel.pack[D] = compiled_for<Pack<T, Sign, D>, PackArguments<T>>(isa)), ...);
  }
  (std::make_index_sequence<kDirections>());
  return kernel;
}

}  // namespace

template <class T>
HopKernel<T> hop_kernel(int sign, Isa isa) {
  return sign > 0 ? kernel_for<T, 1>(isa) : kernel_for<T, -1>(isa);
}

template HopKernel<double> hop_kernel<double>(int, Isa);
template HopKernel<float> hop_kernel<float>(int, Isa);

}  // namespace ht::dirac
