// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace ht::host {

/// Sites of a node along the four directions.
using LocalLattice = std::array<int, 4>;

/// Throws UsageError naming `processor` if a length is below 1.
void require_sites(const char* processor, const LocalLattice& lattice);
double sites_of(const LocalLattice& lattice);

// A site, in real numbers.
constexpr double spinor_reals = 24, link_reals = 18, half_spinor_reals = 12;

/// What one site of a kernel asks of a processor that multiplies and adds in one instruction where
/// the sum is to the product.
struct Kernel {
  double flops = 0;
  double instructions = 0;        ///< floating point, one multiply and one add at the most
  double loads = 0, stores = 0;   ///< reals between registers and the nearest cache
  double spinors = 0, links = 0;  ///< reals between that cache and where the fields live
};

/// The Wilson hopping term. Every spinor comes from memory once, and from the cache to its seven
/// other neighbours. Eight links: both parities use a link, but not in the same sweep.
Kernel hopping_kernel();
/// As ProcessorModel::linear_time() has them.
Kernel linear_kernel(int spinors_read, int spinors_written, int flops);
/// As ProcessorModel::pack_time() has them.
Kernel pack_kernel(bool multiplied);
/// A real from memory to memory.
Kernel copy_kernel();

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
