// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ht::dirac {

// Alignment is said, because GCC's own depends on the instruction set of the file.
typedef double Vec4d __attribute__((vector_size(32), aligned(32)));
typedef float Vec4f __attribute__((vector_size(16), aligned(16)));
typedef double Vec2d __attribute__((vector_size(16), aligned(16)));
typedef float Vec2f __attribute__((vector_size(8), aligned(8)));
typedef float Vec8f __attribute__((vector_size(32), aligned(32)));
typedef std::int64_t Mask4d __attribute__((vector_size(32), aligned(32)));
typedef std::int32_t Mask4f __attribute__((vector_size(16), aligned(16)));

template <class T>
struct VectorOf;
template <>
struct VectorOf<double> {
  using Type = Vec4d;
  using Half = Vec2d;
  using Mask = Mask4d;
};
template <>
struct VectorOf<float> {
  using Type = Vec4f;
  using Half = Vec2f;
  using Mask = Mask4f;
};
/// Two complex numbers of two spins of one colour: (re, im, re, im).
template <class T>
using Vec4 = typename VectorOf<T>::Type;
/// One of them.
template <class T>
using Vec2 = typename VectorOf<T>::Half;

/// Colour outer, then spin, then (re, im): c[colour][0] holds spins 0 and 1, c[colour][1] spins 2
/// and 3. 192 bytes in double.
template <class T>
struct alignas(4 * sizeof(T)) Spinor {
  Vec4<T> c[3][2];

  T& at(int spin, int colour, int part) {
    return reinterpret_cast<T*>(&c[colour][spin / 2])[2 * (spin % 2) + part];
  }
  T at(int spin, int colour, int part) const {
    return reinterpret_cast<const T*>(&c[colour][spin / 2])[2 * (spin % 2) + part];
  }
};

/// Three colours of one site, (re, im): what staggered fermions have, and the colour part of a
/// source. 48 bytes in double.
template <class T>
struct ColourVector {
  T c[3][2];
};

/// The two upper spins of a projected spinor: all that a halo carries. 96 bytes in double.
template <class T>
struct alignas(4 * sizeof(T)) HalfSpinor {
  Vec4<T> c[3];
};
static_assert(sizeof(Spinor<double>) == 192 && sizeof(HalfSpinor<double>) == 96);
static_assert(sizeof(Spinor<float>) == 96 && sizeof(HalfSpinor<float>) == 48);
static_assert(sizeof(ColourVector<double>) == 48);

/// One site's part of a field, a site, in a Geometry's order of sites: of all local sites or of one
/// parity. In five dimensions a site has several, next to each other.
template <class T, template <class> class Site = Spinor>
using FermionField = std::vector<Site<T>>;
template <class T>
using SpinorField = FermionField<T, Spinor>;
template <class T>
using ColourField = FermionField<T, ColourVector>;

}  // namespace ht::dirac
