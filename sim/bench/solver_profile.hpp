// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "sw/host/lattice_kernels.hpp"

namespace ht::bench {

/// An iteration of an operator's even-odd conjugate gradient: what is done on sites of one parity,
/// and what goes to neighbours.
struct SolverProfile {
  std::string id, name;
  double flops = 0;  ///< a site of one parity
  host::Kernel hop;  ///< the sweep that needs neighbours
  int hops = 0;      ///< of an iteration, each on one parity
  struct Part {
    host::Kernel kernel;
    int times = 1;
  };
  std::vector<Part> sweeps;  ///< on the sites of one parity, besides the hops
  int reach = 1;             ///< sites deep are the faces that neighbours need
  int halo_reals = 0;        ///< of a site of a face
  /// What makes the messages: half-spinors, those backwards multiplied, or copies.
  bool half_spinors = true;
};

/// As solve_cg() does it: M and its adjoint, two hops each; the diagonal with the second, and
/// norms. 5,664 flop.
SolverProfile wilson_profile();
/// The clover term and its inverse, each twice in sweeps of their own; `fused`: applied to what is
/// in registers at the end of a hop.
SolverProfile clover_profile(bool fused = false);
/// M^dagger M of staggered fermions is two hops and the mass; 16 links a site, three hops deep.
SolverProfile asqtad_profile();

}  // namespace ht::bench
