// SPDX-License-Identifier: Apache-2.0
// What the parts of an evolution load, compute and store, a site; for models of processors.
#pragma once
#include "sw/dirac/phase_clock.hpp"
#include "sw/host/kernel.hpp"

namespace ht::dirac {

// A product of two 3x3 matrices: 27 complex products, 18 complex sums.
constexpr int kMatrixFlops = 27 * 6 + 18 * 2, kMatrixInstructions = 108, kMatrixReals = 18;

/// Matrices that are read and written, and products of them.
constexpr host::Kernel matrices_kernel(const char* name, int read, int written, int products) {
  return {.name = name,
          .flops = static_cast<double>(products) * kMatrixFlops,
          .steps = {{{.fields = read,
                      .field_reals = kMatrixReals,
                      .instructions = products * kMatrixInstructions,
                      .chains = kMatrixReals}}},
          .stores = written * kMatrixReals};
}
/// Six plaquettes: two products each, and the trace of a third.
constexpr host::Kernel plaquette_kernel() {
  return matrices_kernel("plaquettes", 16, 0, 6 * 3);
}
/// One axis: six staples of two products, and the link times their sum.
constexpr host::Kernel staples_kernel() {
  return matrices_kernel("staples", 10, 1, 13);
}
/// One axis: exp to order 20, and the product with the link.
constexpr host::Kernel link_update_kernel() {
  return matrices_kernel("link update", 2, 1, 21);
}
/// One axis: two outer products of spinors, summed over spins, and the product with the link.
constexpr host::Kernel fermion_force_kernel() {
  return {.name = "fermion force",
          .flops = 2 * 4 * 9 * 8.0 + kMatrixFlops,
          .steps = {{{.fields = 4,
                      .field_reals = 24,
                      .link_reals = kMatrixReals,
                      .instructions = 2 * 4 * 9 * 4 + kMatrixInstructions,
                      .chains = kMatrixReals}}},
          .stores = kMatrixReals};
}

inline void charge(PhaseClock& clock, const host::Kernel& kernel, std::size_t sites) {
  clock.meter().kernel({.sites = static_cast<std::int64_t>(sites),
                        .real_bytes = static_cast<int>(sizeof(double)),
                        .kernel = kernel});
}

}  // namespace ht::dirac
