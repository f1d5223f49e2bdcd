// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/cable/fault_plan.hpp"
#include "sw/host/time.hpp"

namespace ht::machine {

/// What goes wrong on the cables. Rates hold for every cable; counts are of the whole machine, at
/// random times in [from, until) on random cables, drawn from the seed.
struct CableErrors {
  double bit_error_rate = 0;
  int bursts = 0, burst_bits = 32;
  int lost = 0, doubled = 0;
  int stuck = 0;   ///< a lane shows one value for `stuck_time`
  int pulled = 0;  ///< both directions of a cable, for `pulled_time`
  /// Data packets or words, one of the first 16 of a cable, damaged so that the link cannot see it.
  /// (On a cable that carries fewer nothing happens.)
  int forged = 0;
  Picoseconds stuck_time = 400'000, pulled_time = 5'000'000;
  Picoseconds from = 5'000'000, until = 505'000'000;
};

/// The cables of a machine, as far as errors are concerned. Cable number = node * links + link.
struct CableGrid {
  int nodes = 0, links = 0;
  unsigned lanes = 1;  ///< of a cable
  /// Node at the other end of a node's link; the other direction of that cable is the neighbour's
  /// `far_link(link)`.
  std::function<int(int node, int link)> neighbour;
  std::function<int(int link)> far_link = [](int link) { return link ^ 1; };
  /// Damage to the `frame`-th packet or word of a cable that the link cannot see; `payload_bit`,
  /// one of `payload_bits`, is inverted for certain.
  std::function<sim::FaultPlan::Forced(std::uint64_t frame, unsigned payload_bit)> forge;
  unsigned payload_bits = 64;
  /// Cables from a node to itself, along axes of length 1, are in use: QPACE trains them, too. Else
  /// nothing counted hits them.
  bool self_cables = true;
};

/// Adds to `plans` (one a cable; missing ones are empty) what `errors` says.
std::vector<sim::FaultPlan> draw_faults(const CableErrors& errors, const CableGrid& grid,
                                        std::uint64_t seed, std::vector<sim::FaultPlan> plans);

}  // namespace ht::machine
