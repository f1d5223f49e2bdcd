// SPDX-License-Identifier: Apache-2.0
#pragma once
// The inner loops of the hopping term. Users include sw/dirac/operator/hopping.hpp.
#include <array>
#include <cstdint>
#include <span>

#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/operator/spinor.hpp"
#include "sw/dirac/operator/su3.hpp"

namespace ht::dirac {

/// Instruction sets the loops are compiled for. All give the same bits: explicit four-lane
/// arithmetic, no fused multiply-add. Auto is the widest that this computer has.
enum class Isa : std::uint8_t { Auto, Baseline, Avx2 };
bool has_avx2();

/// Neighbours of one target site, a direction each: an index into the source field if >= 0, or
/// ~(slot in that direction's halo).
using Neighbours = std::array<std::int32_t, kDirections>;

template <class T>
struct HopArguments {
  Spinor<T>* out = nullptr;       ///< [target]
  const Spinor<T>* in = nullptr;  ///< [source]
  /// [stored site]; source and target are contiguous ranges of the stored sites.
  const std::array<Matrix<T>, 4>* links = nullptr;
  int target_begin = 0, source_begin = 0;  ///< first stored sites of the two
  const Neighbours* neighbours = nullptr;  ///< [target]
  std::span<const std::int32_t> targets;   ///< which to compute
  std::array<const HalfSpinor<T>*, kDirections> halo{};
};

template <class T>
struct PackArguments {
  HalfSpinor<T>* out = nullptr;  ///< [slot]
  const Spinor<T>* in = nullptr;
  const std::array<Matrix<T>, 4>* links = nullptr;
  int source_begin = 0;
  std::span<const std::int32_t> sources;  ///< [slot] -> source
};

/// The loops for one sign: (1 - sign gamma) forward, (1 + sign gamma) backward.
template <class T>
struct HopKernel {
  /// Targets all of whose neighbours are local.
  void (*interior)(const HopArguments<T>&);
  /// Targets with any mixture.
  void (*boundary)(const HopArguments<T>&);
  /// Half-spinors for the neighbour in a direction: at -1 it needs (1 - sign gamma) psi, at +1
  /// U^dagger (1 + sign gamma) psi.
  std::array<void (*)(const PackArguments<T>&), kDirections> pack;
};

/// `sign` is +1 (Chroma's D, or MILC's D^dagger) or -1. Throws UsageError if this computer lacks
/// `isa`.
template <class T>
const HopKernel<T>& hop_kernel(int sign, Isa isa = Isa::Auto);

}  // namespace ht::dirac
