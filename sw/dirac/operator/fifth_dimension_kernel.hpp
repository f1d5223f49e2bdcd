// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loops of the fifth dimension. Not for others: they include domain_wall.hpp.
#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

template <class T>
struct FifthDimensionArguments {
  Spinor<T>* out = nullptr;       ///< [site][s]; may be `in`
  const Spinor<T>* in = nullptr;  ///< [site][s]
  int sites = 0, length = 0;
  T a{}, mass{};  ///< 5 - M5, and the quark's mass
  T close{};      ///< 1 / (a + mass a^-(length-1)): begins A^-1 at the last site
  bool dagger = false;
};

/// out = A in and out = A^-1 in (or with A^dagger), site by site:
/// (A psi)_s = a psi_s - P_- psi_(s+1) - P_+ psi_(s-1), the ends joined by -mass (domain_wall.hpp).
template <class T>
LoopOn<FifthDimensionArguments<T>> fifth_dimension_kernel(Isa isa = Isa::Auto);
template <class T>
LoopOn<FifthDimensionArguments<T>> inverse_fifth_dimension_kernel(Isa isa = Isa::Auto);

}  // namespace ht::dirac
