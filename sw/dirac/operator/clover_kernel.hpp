// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of the clover term. Not for others: they include clover.hpp.
#include <cstddef>

#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

/// A hermitian 6x6 matrix for each chirality of a site, indices 3 spin + colour. 72 reals.
template <class T>
struct CloverSite {
  /// [k]: elements 2k and 2k + 1 of chirality 0, then the same of chirality 1.
  Vec4<T> diagonal[3];
  /// [i (i - 1) / 2 + j]: element (i, j), j < i: re, im of chirality 0, re, im of chirality 1.
  Vec4<T> below[15];
};

template <class T>
struct CloverArguments {
  Spinor<T>* out = nullptr;  ///< [site]; may be `in`
  const Spinor<T>* in = nullptr;
  const CloverSite<T>* blocks = nullptr;
  std::size_t sites = 0;
};

/// The loop: out = blocks in, site by site.
template <class T>
LoopOn<CloverArguments<T>> clover_kernel(Isa isa = Isa::Auto);

}  // namespace ht::dirac
