// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "sim/bench/solver_profile.hpp"
#include "sw/host/processor_model.hpp"
#include "sw/host/wilson_kernels.hpp"

namespace ht::bench {

/// What a machine's network takes, measured; by default a word of 72 bits goes out at 500 Mbit/s.
struct CgNetwork {
  double first_word_ns = 0;  ///< one word, memory to memory, mean
  double word_ns = 144;      ///< each further word of a message
  double sum_us = 0;         ///< a global sum of one double over all nodes
};

/// Where the time of one iteration of the conjugate gradient goes; microseconds.
struct CgTimes {
  double peak = 0;       ///< its flop, at peak
  double hopping = 0;    ///< the hopping term
  double packing = 0;    ///< into send buffers
  double linear = 0;     ///< what needs no neighbours: fields added, norms, clover terms
  double halo_wait = 0;  ///< for neighbours' halos, interior sites being done
  double sums = 0;       ///< two global sums

  double total() const { return hopping + packing + linear + halo_wait + sums; }
  double efficiency() const { return peak / total(); }
};

/// One iteration of an operator's even-odd solver in sw/dirac on a node with `lattice` sites, all
/// four directions being spread over nodes: eight messages leave as soon as each is packed,
/// interior sites are computed, and the others when the last halo they need is here. Axes must have
/// even lengths. `real_bytes`: 8 (double) or 4.
CgTimes cg_times(const host::LocalLattice& lattice, const host::ProcessorModel& processor,
                 const CgNetwork& network, const SolverProfile& solver = wilson_profile(),
                 int real_bytes = 8);

}  // namespace ht::bench
