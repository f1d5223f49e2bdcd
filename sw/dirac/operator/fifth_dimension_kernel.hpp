// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loops of the fifth dimension. Users include sw/dirac/operator/domain_wall.hpp.
#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

template <class T>
struct FifthDimensionArguments {
  Spinor<T>* out = nullptr;       ///< [site][s]; may be `in`
  const Spinor<T>* in = nullptr;  ///< [site][s]
  int sites = 0, length = 0;
  T a{}, mass{};
  T close{};  ///< of the inverse: 1 / (a + mass a^-(length-1))
  bool dagger = false;
};

template <class T>
using FifthDimensionLoop = void (*)(const FifthDimensionArguments<T>&);

/// out = A in and out = A^-1 in of DomainWallTerm (or with A^dagger), site by site.
template <class T>
FifthDimensionLoop<T> fifth_dimension_kernel(Isa isa = Isa::Auto);
template <class T>
FifthDimensionLoop<T> inverse_fifth_dimension_kernel(Isa isa = Isa::Auto);

}  // namespace ht::dirac
