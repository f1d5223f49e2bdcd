// SPDX-License-Identifier: Apache-2.0
// The kernels of lattice QCD's solvers, one description each.
#pragma once
#include "sw/host/kernel.hpp"

namespace ht::host {

// Of a half-spinor: its projection, 12 additions; a product of its two colour vectors with a link,
// a multiply and five multiply-adds for each of 12 reals.
constexpr int project_instructions = 12, multiply_instructions = 2 * 36, multiply_flops = 2 * 66;

/// The Wilson hopping term. Projections 8 x 12 additions, products 8 x 2 x 36, sums 7 x 24, as
/// [Cell2007] counts: 840.
constexpr Kernel hopping_kernel() {
  return {.name = "Wilson hop",
          .flops = 1320,
          .steps = {{{.times = 8,
                      .reach = Reach::Neighbour,
                      .fields = 1,
                      .field_reals = spinor_reals,
                      .halo_reals = half_spinor_reals,
                      .link_reals = link_reals,
                      .instructions = project_instructions + multiply_instructions,
                      .chains = half_spinor_reals},
                     {.times = 7, .instructions = spinor_reals, .chains = spinor_reals}}},
          .stores = spinor_reals};
}

/// Projects a spinor to a half-spinor in a send buffer, multiplied by its link if `multiplied`.
constexpr Kernel pack_kernel(bool multiplied) {
  return {
      .name = multiplied ? "half-spinor, multiplied" : "half-spinor",
      .flops = static_cast<double>(project_instructions + (multiplied ? multiply_flops : 0)),
      .steps = {{{.fields = 1,
                  .field_reals = spinor_reals,
                  .link_reals = multiplied ? link_reals : 0,
                  .instructions = project_instructions + (multiplied ? multiply_instructions : 0),
                  .chains = half_spinor_reals}}},
      .stores = half_spinor_reals};
}

/// The clover term or its inverse: two Hermitian 6 x 6 blocks, 36 reals each. A row is a real and
/// five complex products.
constexpr Kernel clover_kernel() {
  return {.name = "clover term",
          .flops = 504,
          .steps = {{{.times = 2,
                      .fields = 1,
                      .field_reals = spinor_reals / 2,
                      .link_reals = 36,
                      .instructions = 12 + 15 * 8,
                      .chains = 12}}},
          .stores = spinor_reals};
}

/// The staggered hopping term, with `third` the ASQTAD one: fat links to neighbours, and links to
/// sites three hops away. Each product is added to the sum as it is made.
constexpr Kernel staggered_kernel(bool third) {
  const KernelStep near{.times = 8,
                        .reach = Reach::Neighbour,
                        .fields = 1,
                        .field_reals = colour_vector_reals,
                        .halo_reals = colour_vector_reals,
                        .link_reals = link_reals,
                        .instructions = 36,
                        .chains = colour_vector_reals};
  KernelStep far = near;
  far.reach = Reach::Third;
  const int hops = third ? 16 : 8;
  return {.name = third ? "ASQTAD hop" : "staggered hop",
          .flops = hops * 66.0 + (hops - 1) * 6.0,
          .steps = {{near, third ? far : KernelStep{.times = 0}}},
          .stores = colour_vector_reals};
}

/// Domain wall fermions' operator along the fifth dimension, or its inverse; a site of the five
/// dimensions.
constexpr Kernel fifth_dimension_kernel(bool inverse) {
  return {.name = inverse ? "fifth dimension, inverse" : "fifth dimension",
          .flops = inverse ? 96.0 : 48.0,
          .steps = {{{.fields = 1,
                      .field_reals = spinor_reals,
                      .instructions = inverse ? 72 : 24,
                      .chains = spinor_reals}}},
          .stores = spinor_reals};
}

/// Linear algebra on fields with `reals` a site: `read` of them and `written` ones, of which one
/// that is read too is replaced. A caxpy of spinors is (24, 2, 1, 96), a norm (24, 1, 0, 48).
constexpr Kernel linear_kernel(int reals, int read, int written, double flops) {
  return {.name = "linear algebra",
          .flops = flops,
          .steps = {{{.fields = read,
                      .field_reals = reals,
                      .instructions = static_cast<int>(flops / 2),
                      .chains = reals}}},
          .stores = written * reals,
          .in_place = written > 0 && read > 1};
}

/// `reals` from memory to memory.
constexpr Kernel copy_kernel(int reals = 1) {
  return {.name = "copy", .steps = {{{.fields = 1, .field_reals = reals}}}, .stores = reals};
}

}  // namespace ht::host
