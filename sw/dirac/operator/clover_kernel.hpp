// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of the clover term. Users include sw/dirac/operator/clover.hpp.
#include <cstddef>

#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

/// A hermitian 6x6 matrix for each chirality of a site, indices 3 spin + colour. 72 reals.
template <class T>
struct CloverSite {
  Vec4<T> diagonal[3];  ///< of both: (2k, 2k + 1) of chirality 0, then of chirality 1, at k
  Vec4<T> below[15];    ///< (re, im) of both; element (i, j), j < i, at i (i - 1) / 2 + j
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
auto clover_kernel(Isa isa = Isa::Auto) -> void (*)(const CloverArguments<T>&);

}  // namespace ht::dirac
