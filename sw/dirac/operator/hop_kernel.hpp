// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loops of the hopping term. Not for others: they include hopping.hpp.
#include <array>
#include <cstdint>
#include <span>

#include "sw/dirac/operator/isa.hpp"
#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/operator/spinor.hpp"
#include "sw/dirac/operator/su3.hpp"

namespace ht::dirac {

/// Neighbours of one target site, a direction each: an index into the source field if >= 0, or
/// ~(slot in that direction's halo).
using Neighbours = std::array<std::int32_t, kDirections>;

/// The links of one target site as the loops read them, a direction each: U_mu(x) forward,
/// U_mu(x - mu) backward (not its adjoint; unused if it is another node's). Each link is kept
/// twice, so that memory is read from front to back.
template <class T>
using TargetLinks = std::array<Matrix<T>, kDirections>;

/// Sites have `fields` spinors, those of a fifth dimension, next to each other.
template <class T>
struct HopArguments {
  int fields = 1;
  Spinor<T>* out = nullptr;                              ///< [target][field]
  const Spinor<T>* in = nullptr;                         ///< [source][field]
  const TargetLinks<T>* links = nullptr;                 ///< [target]
  const Neighbours* neighbours = nullptr;                ///< [target]
  std::span<const std::int32_t> targets;                 ///< which to compute
  std::array<const HalfSpinor<T>*, kDirections> halo{};  ///< [slot][field]
};

template <class T>
struct PackArguments {
  int fields = 1;
  HalfSpinor<T>* out = nullptr;  ///< [slot][field]
  const Spinor<T>* in = nullptr;
  const Matrix<T>* links = nullptr;       ///< [slot], for neighbours at +1
  std::span<const std::int32_t> sources;  ///< [slot] -> source
};

/// The loops for one sign: (1 - sign gamma) forward, (1 + sign gamma) backward.
template <class T>
struct HopKernel {
  /// Targets all of whose neighbours are local.
  LoopOn<HopArguments<T>> interior;
  /// Targets with any mixture.
  LoopOn<HopArguments<T>> boundary;
  /// Half-spinors for the neighbour in a direction: at -1 it needs (1 - sign gamma) psi, at +1
  /// U^dagger (1 + sign gamma) psi.
  std::array<LoopOn<PackArguments<T>>, kDirections> pack;
};

/// `sign` is +1 (Chroma's D, or MILC's D^dagger) or -1. Throws UsageError if this computer lacks
/// `isa`.
template <class T>
HopKernel<T> hop_kernel(int sign, Isa isa = Isa::Auto);

}  // namespace ht::dirac
