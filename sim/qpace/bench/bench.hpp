// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sim/bench/measurement.hpp"
#include "sw/host/time.hpp"

/// The measurements of [QPACE2009] section 6, made by programs on Verilated nodes. All of it is
/// simulated time: the same on every computer. Sizes are bytes of payload, rates GB/s (1e9).
namespace ht::bench {

/// Two nodes in a ring; what is measured runs over the cable from +x of node 0 to -x of node 1.
struct PairOptions {
  Picoseconds cable_delay = 250'000;  ///< of two PHYs and the cable, each way
  Picoseconds host_path = 0;          ///< from memory to the network and back, together
  double bit_error_rate = 0;          ///< on the coded line, both ways
  std::uint64_t seed = 1;
};

/// From the edge that takes the first beat of a line to the edge that takes the last beat of its
/// packet from the peer's port, longest over the phases of the clocks. PHYs and cable take nothing,
/// but for the cycle after which the receiver's register samples a word.
struct FifoToDma {
  Picoseconds to_wire = 0;    ///< longest until the header is on the wire
  Picoseconds from_wire = 0;  ///< longest from there
  /// In link cycles of 4 ns. The two nodes' core clocks know nothing of one another, so that the
  /// worst of both may meet.
  int cycles() const { return static_cast<int>((to_wire + from_wire + 3999) / 4000); }
};
FifoToDma fifo_to_dma();

/// Half of the mean round trip of 128 bytes, from memory to memory, in ps.
double ping_pong(const PairOptions& options, int rounds, Software software = Software::None);

/// Payload a direction in the steady state, both directions of one cable busy: the slower one.
double bidirectional_rate(int packets, const Progress& progress);

/// Payload that leaves each of eight nodes (2x2x2) in the steady state, all six links of all of
/// them sending and receiving: the slowest node.
double six_link_rate(int packets, const Progress& progress);

/// Both nodes send `messages` messages of `bytes` to one another, `in_flight` (1 to 8) at a time,
/// each on a virtual channel of its own; the next one goes when one has come and one has been
/// taken. Returns payload a direction after the first `in_flight` messages.
double exchange_rate(const PairOptions& options, std::uint64_t bytes, int in_flight, int messages,
                     const Progress& progress);

/// One message of `packets` packets (at most 32767) one way, the reverse direction idle.
struct Goodput {
  double rate = 0;                  ///< from the first packet's arrival to the last one's
  std::uint64_t errors = 0;         ///< injected on the two directions of that cable
  std::uint64_t retransmitted = 0;  ///< packets sent again
};
/// Throws MismatchError if what arrived is not what was sent.
Goodput goodput(const PairOptions& options, int packets, const Progress& progress);

}  // namespace ht::bench
