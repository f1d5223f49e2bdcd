// SPDX-License-Identifier: Apache-2.0
#include "sw/host/wilson_kernels.hpp"

#include <string>

#include "sw/host/errors.hpp"

namespace ht::host {
namespace {

// Projections 8 x 12 adds; products 8 x 2 x 36; sums 7 x 24: as seed 001 counts them.
constexpr double project = 12, multiply = 2 * 36,
                 hopping_instructions = 8 * (project + multiply) + 7 * 24;
constexpr double hopping_flops = 1320, multiply_flops = 2 * 66;

}  // namespace

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

Kernel hopping_kernel() {
  return {.flops = hopping_flops,
          .instructions = hopping_instructions,
          .loads = 8 * (spinor_reals + link_reals),
          .stores = spinor_reals,
          .spinors = 2 * spinor_reals,
          .links = 8 * link_reals};
}

Kernel linear_kernel(int spinors_read, int spinors_written, int flops) {
  const double loads = spinors_read * spinor_reals, stores = spinors_written * spinor_reals;
  return {.flops = static_cast<double>(flops),
          .instructions = flops / 2.0,
          .loads = loads,
          .stores = stores,
          .spinors = loads + stores};
}

Kernel pack_kernel(bool multiplied) {
  const double links = multiplied ? link_reals : 0;
  return {.flops = project + (multiplied ? multiply_flops : 0),
          .instructions = project + (multiplied ? multiply : 0),
          .loads = spinor_reals + links,
          .stores = half_spinor_reals,
          .spinors = spinor_reals + half_spinor_reals,
          .links = links};
}

Kernel copy_kernel() {
  return {.loads = 1, .stores = 1, .spinors = 2};
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
