// SPDX-License-Identifier: Apache-2.0
#include "sim/bench/solver_profile.hpp"

namespace ht::bench {
namespace {

using namespace host;

Kernel linear(int reals, double flops) {
  return linear_kernel(reals, 2, 1, flops);
}

// A hop whose sum the clover term is applied to before it is stored.
Kernel fused_hop() {
  Kernel k = hopping_kernel();
  const Kernel clover = clover_kernel();
  k.name = "Wilson hop and clover term";
  k.flops += clover.flops;
  k.steps[2] = clover.steps[0];
  k.steps[2].fields = 0;
  k.steps[2].field_reals = 0;
  return k;
}

}  // namespace

SolverProfile wilson_profile() {
  return {.id = "wilson",
          .name = "Wilson",
          .flops = 5664,
          .hop = hopping_kernel(),
          .hops = 4,
          // M p, its diagonal and norm, and M^dagger M p, its diagonal, in the loops of hops; x; r
          // and its norm; p.
          .sweeps = {{linear_kernel(spinor_reals, 1, 0, 120)},
                     {linear(spinor_reals, 48)},
                     {linear_kernel(spinor_reals, 1, 0, 72)},
                     {linear(spinor_reals, 96)},
                     {linear(spinor_reals, 72)}},
          .halo_reals = half_spinor_reals};
}

SolverProfile clover_profile(bool fused) {
  SolverProfile p = wilson_profile();
  p.id = fused ? "clover_fused" : "clover";
  p.name = fused ? "clover, its term within the hop" : "clover";
  // The hop is added to the diagonal's result, once with the norm.
  if (!fused)
    p.sweeps = {
        {linear(spinor_reals, 96), 2}, {linear(spinor_reals, 48), 2}, {linear(spinor_reals, 72)}};
  p.flops = 4 * (hopping_kernel().flops + clover_kernel().flops) + 2 * 96 + 2 * 48 + 72;
  if (fused) {
    p.hop = fused_hop();
  } else {
    p.sweeps.push_back({clover_kernel(), 4});
  }
  return p;
}

SolverProfile asqtad_profile() {
  const int reals = colour_vector_reals;
  return {.id = "asqtad",
          .name = "ASQTAD",
          .flops = 2 * staggered_kernel(true).flops + 12 + 24 + 18 + 24,
          .hop = staggered_kernel(true),
          .hops = 2,
          // x; r and its norm; p; the mass and the product with p.
          .sweeps = {{linear(reals, 12)}, {linear(reals, 24), 2}, {linear(reals, 18)}},
          .reach = 3,
          .halo_reals = reals,
          .half_spinors = false};
}

}  // namespace ht::bench
