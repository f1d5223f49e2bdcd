// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/hop_kernel.hpp"

#include <cstddef>
#include <type_traits>
#include <utility>

#include "sw/dirac/operator/vector.hpp"

namespace ht::dirac {
namespace {

/// The same component of N spinors that lie next to each other: of one, or of two of a site's fifth
/// dimension, since four lanes of single precision fill half a register.
template <class T, int N>
struct LanesOf {
  using Type = Vec4<T>;
};
template <>
struct LanesOf<float, 2> {
  using Type = Vec8f;
};
template <class T, int N>
using Lanes = typename LanesOf<T, N>::Type;

template <class T, int N>
HT_INLINE void join(Lanes<T, N>& v, const Vec4<T>& first, const Vec4<T>& second) {
  if constexpr (N == 1) {
    v = first;
  } else {
    v = __builtin_shufflevector(first, second, 0, 1, 2, 3, 4, 5, 6, 7);
  }
}

/// v := E B v, where gamma_axis = (0 B; B^dagger 0) in the DeGrand-Rossi basis:
/// B_x = (0 i; i 0), B_y = (0 -1; 1 0), B_z = (i 0; 0 -i), B_t = 1; B^dagger = -B for x, y, z.
template <int Axis, int E, class V>
HT_INLINE void apply_b(V& v) {
  if constexpr (Axis == 0) {
    permute<3, 2, 1, 0>(v);
    flip<-E, E, -E, E>(v);
  } else if constexpr (Axis == 1) {
    permute<2, 3, 0, 1>(v);
    flip<-E, -E, E, E>(v);
  } else if constexpr (Axis == 2) {
    permute<1, 0, 3, 2>(v);
    flip<-E, E, E, -E>(v);
  } else if constexpr (E < 0) {
    flip<-1, -1, -1, -1>(v);
  }
}

/// h = the upper half of (1 + E gamma_axis) psi, of N spinors.
template <int Axis, int E, int N, class T>
HT_INLINE void project(Lanes<T, N> (&h)[3], const Spinor<T>* psi) {
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    Lanes<T, N> upper, lower;
    join<T, N>(upper, psi[0].c[c][0], psi[N - 1].c[c][0]);
    join<T, N>(lower, psi[0].c[c][1], psi[N - 1].c[c][1]);
    apply_b<Axis, E>(lower);
    h[c] = upper + lower;
  }
}

/// Adds to sum the spinor whose upper half is g: its lower half is E B^dagger g.
template <int Axis, int E, class V>
HT_INLINE void reconstruct(V (&sum)[3][2], int colour, const V& g) {
  V lower = g;
  apply_b<Axis, Axis == 3 ? E : -E>(lower);
  sum[colour][0] += g;
  sum[colour][1] += lower;
}

/// g = row `a` of u h, or of u^dagger h.
template <bool Adjoint, class T, class V>
HT_INLINE void row_times(V& g, const Matrix<T>& u, int a, const V (&h)[3]) {
  const auto& m0 = Adjoint ? u.e[0][a] : u.e[a][0];
  const auto& m1 = Adjoint ? u.e[1][a] : u.e[a][1];
  const auto& m2 = Adjoint ? u.e[2][a] : u.e[a][2];
  const V re = m0[0] * h[0] + m1[0] * h[1] + m2[0] * h[2];
  V im = m0[1] * h[0] + m1[1] * h[1] + m2[1] * h[2];
  permute<1, 0, 3, 2>(im);
  constexpr int kS = Adjoint ? 1 : -1;
  flip<kS, -kS, kS, -kS>(im);  // i im, or -i im
  g = re + im;
}

/// How many spinors a site has: One says so to the compiler.
template <bool One, class T>
HT_INLINE std::ptrdiff_t spinors(const HopArguments<T>& a) {
  return One ? 1 : a.fields;
}

/// The contribution of one direction to N of a target's spinors. Halo: the neighbour may be in a
/// halo.
template <int Direction, int Sign, bool Halo, bool One, int N, class T>
HT_INLINE void add_direction(Lanes<T, N> (&sum)[3][2], const HopArguments<T>& a, int field,
                             int target) {
  constexpr int kAxis = Direction / 2;
  constexpr bool kBackward = Direction % 2 == 1;
  constexpr int kE = kBackward ? Sign : -Sign;
  const std::int32_t n = a.neighbours[target][Direction];
  Lanes<T, N> h[3];
  if (Halo && n < 0) {
    const HalfSpinor<T>* const half = &a.halo[Direction][~n * spinors<One>(a) + field];
#pragma GCC unroll 3
    for (int c = 0; c < 3; ++c) join<T, N>(h[c], half[0].c[c], half[N - 1].c[c]);
    if (kBackward) {  // the sender has multiplied by U^dagger
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) reconstruct<kAxis, kE>(sum, c, h[c]);
      return;
    }
  } else {
    project<kAxis, kE, N>(h, &a.in[n * spinors<One>(a) + field]);
  }
  const Matrix<T>& u = a.links[target][Direction];
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    Lanes<T, N> g;
    row_times<kBackward>(g, u, c, h);
    reconstruct<kAxis, kE>(sum, c, g);
  }
}

/// N of a target's spinors, from `field` on.
template <int Sign, bool Halo, bool One, int N, class T>
HT_INLINE void hop_to(const HopArguments<T>& a, int field, int target) {
  Lanes<T, N> sum[3][2] = {};
  // One order at every site, whether its neighbours are here or on other nodes.
  add_direction<0, Sign, Halo, One, N>(sum, a, field, target);
  add_direction<1, Sign, Halo, One, N>(sum, a, field, target);
  add_direction<2, Sign, Halo, One, N>(sum, a, field, target);
  add_direction<3, Sign, Halo, One, N>(sum, a, field, target);
  add_direction<4, Sign, Halo, One, N>(sum, a, field, target);
  add_direction<5, Sign, Halo, One, N>(sum, a, field, target);
  add_direction<6, Sign, Halo, One, N>(sum, a, field, target);
  add_direction<7, Sign, Halo, One, N>(sum, a, field, target);
  Spinor<T>* const out = &a.out[target * spinors<One>(a) + field];
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const Lanes<T, N>& s = sum[c][half];
      if constexpr (N == 1) {
        out[0].c[c][half] = s;
      } else {
        out[0].c[c][half] = __builtin_shufflevector(s, s, 0, 1, 2, 3);
        out[1].c[c][half] = __builtin_shufflevector(s, s, 4, 5, 6, 7);
      }
    }
  }
}

/// Asks for what a target's spinor needs: neighbours lie far apart in three of the directions,
/// where a processor's own prefetching does not find them.
template <class T, bool Halo, bool One>
HT_INLINE void fetch_target(const HopArguments<T>& a, int field, std::int32_t target) {
  if (field == 0) fetch(a.links[target]);
#pragma GCC unroll 8
  for (std::size_t d = 0; d < kDirections; ++d) {
    const std::int32_t n = a.neighbours[target][d];
    if (Halo && n < 0) continue;
    fetch(a.in[n * spinors<One>(a) + field]);
  }
}

/// What is fetched lies a few spinors ahead.
template <class T, bool Halo, bool One>
class Fetcher {
 public:
  explicit HT_INLINE Fetcher(const HopArguments<T>& a)
      : a_(a),
        field_(kAhead % (One ? 1 : a.fields)),
        target_(static_cast<std::size_t>(kAhead / (One ? 1 : a.fields))) {}
  HT_INLINE void next() {
    if (target_ < a_.targets.size()) fetch_target<T, Halo, One>(a_, field_, a_.targets[target_]);
    if (++field_ == spinors<One>(a_)) {
      field_ = 0;
      ++target_;
    }
  }

 private:
  static constexpr int kAhead = 2;
  const HopArguments<T>& a_;
  int field_;
  std::size_t target_;
};

template <class T, int Sign, bool Halo, bool One>
HT_INLINE void hop(const HopArguments<T>& a) {
  Fetcher<T, Halo, One> fetcher(a);
  for (const std::int32_t target : a.targets) {
    int field = 0;
    if constexpr (std::is_same_v<T, float> && !One) {
      for (; field + 1 < a.fields; field += 2) {
        fetcher.next();
        fetcher.next();
        hop_to<Sign, Halo, One, 2>(a, field, target);
      }
    }
    for (; field < spinors<One>(a); ++field) {
      fetcher.next();
      hop_to<Sign, Halo, One, 1>(a, field, target);
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
      project<kAxis, kE, 1>(h, &a.in[std::ptrdiff_t{a.sources[slot]} * a.fields + field]);
#pragma GCC unroll 3
      for (int c = 0; c < 3; ++c) {
        if (kForwardForReceiver) {
          out->c[c] = h[c];
        } else {
          row_times<true>(out->c[c], a.links[slot], c, h);
        }
      }
    }
  }
}

template <class T, int Sign, bool Halo>
struct Hop {
  static HT_INLINE void run(const HopArguments<T>& a) {
    if (a.fields == 1) {
      hop<T, Sign, Halo, true>(a);
    } else {
      hop<T, Sign, Halo, false>(a);
    }
  }
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
