// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loop of the staggered hopping term. Not for others: they include staggered.hpp.
#include <array>
#include <cstdint>
#include <span>

#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

/// Hops a site has at most: one and three steps both ways along four axes.
constexpr int max_staggered_hops = 16;

/// The matrices of two hops that follow each other in the sum: (re, im) of the first's element,
/// then of the second's.
template <class T>
struct HopPair {
  Vec4<T> e[3][3];
};

template <class T>
struct StaggeredArguments {
  ColourVector<T>* out = nullptr;            ///< [target]
  const ColourVector<T>* in = nullptr;       ///< [source]
  int hops = 0;                              ///< of a target: even
  const HopPair<T>* matrices = nullptr;      ///< [target][hop / 2]
  const std::int32_t* neighbours = nullptr;  ///< [target][hop]: source, or ~(slot in its halo)
  std::span<const std::int32_t> targets;     ///< which to compute
  std::array<const ColourVector<T>*, max_staggered_hops> halo{};  ///< [hop]
};

/// The loop: sums of matrix times vector, in the order of the hops.
template <class T>
LoopOn<StaggeredArguments<T>> staggered_kernel(Isa isa = Isa::Auto);

}  // namespace ht::dirac
