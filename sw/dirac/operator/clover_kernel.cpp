// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/clover_kernel.hpp"

#include "sw/dirac/operator/vector.hpp"

namespace ht::dirac {
namespace {

template <class T>
HT_INLINE void multiply(Spinor<T>& out, const CloverSite<T>& a, const Spinor<T>& in) {
  // Both chiralities side by side: element k of spins 0, 1 and of spins 2, 3.
  Vec4<T> from[6], swapped[6], to[6];
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    from[c] = __builtin_shufflevector(in.c[c][0], in.c[c][1], 0, 1, 4, 5);
    from[3 + c] = __builtin_shufflevector(in.c[c][0], in.c[c][1], 2, 3, 6, 7);
  }
#pragma GCC unroll 6
  for (int k = 0; k < 6; ++k) {
    swapped[k] = from[k];
    permute<1, 0, 3, 2>(swapped[k]);
    Vec4<T> diagonal = a.diagonal[k / 2];
    if (k % 2 == 0) {
      permute<0, 0, 2, 2>(diagonal);
    } else {
      permute<1, 1, 3, 3>(diagonal);
    }
    to[k] = diagonal * from[k];
  }
#pragma GCC unroll 6
  for (int i = 1; i < 6; ++i) {
#pragma GCC unroll 6
    for (int j = 0; j < i; ++j) {
      const Vec4<T>& element = a.below[i * (i - 1) / 2 + j];
      Vec4<T> product;
      complex_product<false>(product, element, from[j], swapped[j]);
      to[i] += product;
      complex_product<true>(product, element, from[i], swapped[i]);
      to[j] += product;
    }
  }
#pragma GCC unroll 3
  for (int c = 0; c < 3; ++c) {
    out.c[c][0] = __builtin_shufflevector(to[c], to[3 + c], 0, 1, 4, 5);
    out.c[c][1] = __builtin_shufflevector(to[c], to[3 + c], 2, 3, 6, 7);
  }
}

template <class T>
struct Clover {
  static HT_INLINE void run(const CloverArguments<T>& a) {
    for (std::size_t i = 0; i < a.sites; ++i) multiply(a.out[i], a.blocks[i], a.in[i]);
  }
};

}  // namespace

template <class T>
LoopOn<CloverArguments<T>> clover_kernel(Isa isa) {
  return compiled_for<Clover<T>, CloverArguments<T>>(isa);
}

template LoopOn<CloverArguments<double>> clover_kernel<double>(Isa);
template LoopOn<CloverArguments<float>> clover_kernel<float>(Isa);

}  // namespace ht::dirac
