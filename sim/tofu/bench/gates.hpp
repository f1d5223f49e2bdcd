// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sw/tofu/gates/allreduce_trial.hpp"
#include "sw/tofu/gates/barrier_pattern.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

/// Measurements of the Tofu network and its barrier gates ([Tofu2012] sections 4.2 and 5) by
/// programs on Verilated interconnect controllers. All of it is simulated time: the same on every
/// computer. Cables and PHYs of 64 ns, 20 cycles; a cycle is 3.2 ns.
namespace ht::bench {

/// Cycles from the edge at which a node takes a beat in to the edge at which whatever comes after
/// it takes what it sends for it, without cable and PHY.
struct TofuCycles {
  std::int64_t hop = 0;        ///< first beat of a packet in to its first beat out, one node on
  std::int64_t gate_wire = 0;  ///< last beat in of the packet that fires a gate to first beat out
  /// The gate by itself: without the link in, the router both ways and the link out.
  std::int64_t gate = 0;
};
/// Of a packet that passes through a node which does nothing else, and of gates that relay.
TofuCycles tofu_cycles();

/// How long a collective takes over `nodes` nodes, the first of the smallest machine that has them,
/// which begin it at the same time, with software that takes no time but its register accesses.
struct CollectiveTime {
  double barrier_us = 0;  ///< from the beginning until the last node has seen the end
  double sum_us = 0;      ///< the same of an order-independent sum of one double a node
  int gates = 0;          ///< of the node that needs most
};
CollectiveTime tofu_collective(int nodes, tofu::Algorithm algorithm, int rounds);

/// The trial on Verilated nodes; ps a round.
double tofu_trial(const tofu::Shape& machine, const tofu::AllreduceTrial& trial);

}  // namespace ht::bench
