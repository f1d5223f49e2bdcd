// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>
#include <vector>

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
  double peak = 0;       ///< 5664 flop a site of one parity, at peak
  double hopping = 0;    ///< the hopping term, four times half of the sites
  double packing = 0;    ///< half-spinors into send buffers
  double linear = 0;     ///< spinor fields added, norms
  double halo_wait = 0;  ///< for half-spinors, interior sites being done
  double sums = 0;       ///< two global sums

  double total() const { return hopping + packing + linear + halo_wait + sums; }
  double efficiency() const { return peak / total(); }
};

/// One iteration of sw/dirac's even-odd solver (solve_cg) on a node with `lattice` sites, all four
/// directions being spread over nodes: eight messages leave as soon as each is packed, interior
/// sites are computed, and when the last message is here, the others. Double precision. Axes must
/// have even lengths.
CgTimes cg_times(const host::LocalLattice& lattice, const host::ProcessorModel& processor,
                 const CgNetwork& network);

}  // namespace ht::bench
