// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "sw/host/lattice_kernels.hpp"

namespace ht::host {

/// Sites of a node along the four directions.
using LocalLattice = std::array<int, 4>;

/// Throws UsageError naming `processor` if a length is below 1.
void require_sites(const char* processor, const LocalLattice& lattice);
double sites_of(const LocalLattice& lattice);

/// Bytes of the even-odd solver's fields: seven spinor fields on half of the sites, four links a
/// site.
struct Footprint {
  double spinors = 0;
  double links = 0;
};
Footprint footprint(const LocalLattice& lattice, int real_bytes);

/// Which of two memories, the near one small and fast, the fields of the solver live in.
enum class FieldPlacement : std::uint8_t {
  Near,      ///< all in the near one
  LinksFar,  ///< spinors in the near one, the gauge field in the far one
  Far,       ///< all in the far one
};
/// Whatever fits into `near_bytes`, the fields used most often first: spinors, then links.
FieldPlacement placement(const LocalLattice& lattice, int real_bytes, double near_bytes);

}  // namespace ht::host
