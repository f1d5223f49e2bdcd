// SPDX-License-Identifier: Apache-2.0
#include "sw/host/wilson_kernels.hpp"

#include <string>

#include "sw/host/errors.hpp"

namespace ht::host {

void require_sites(const char* processor, const LocalLattice& lattice) {
  for (const int length : lattice) {
    if (length < 1)
      throw UsageError(std::string(processor) + ": a local lattice with an axis of " +
                       std::to_string(length) + " sites; give every node at least one");
  }
}

double sites_of(const LocalLattice& lattice) {
  double sites = 1;
  for (const int length : lattice) sites *= length;
  return sites;
}

Footprint footprint(const LocalLattice& lattice, int real_bytes) {
  // x, b, r, p, M p, M^dagger M p and the other parity in between.
  constexpr double half_fields = 7;
  const double sites = sites_of(lattice);
  return {half_fields * sites / 2 * spinor_reals * real_bytes, sites * 4 * link_reals * real_bytes};
}

FieldPlacement placement(const LocalLattice& lattice, int real_bytes, double near_bytes) {
  const Footprint f = footprint(lattice, real_bytes);
  if (f.spinors + f.links <= near_bytes) return FieldPlacement::Near;
  return f.spinors <= near_bytes ? FieldPlacement::LinksFar : FieldPlacement::Far;
}

}  // namespace ht::host
