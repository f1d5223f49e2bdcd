// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sw/host/time.hpp"

/// Measurements of the QCDOC communications unit ([QCDOC2004] section 2.2) by programs on Verilated
/// nodes that use it directly. All of it is simulated time: the same on every computer. Cables of
/// 20 ns one way and memory that answers after 20 ns unless stated otherwise; a word is 64 bits.
namespace ht::bench {

/// Best, mean and worst over phases.
struct Spread {
  double best = 0, mean = 0, worst = 0;
};
Spread spread_of(const std::vector<double>& values);

/// GB/s of payload through a node, in and out, all 24 connections busy, memory being read in
/// `memory_latency`.
double qcdoc_total_rate(int words, Picoseconds memory_latency = 20'000);

/// One word, from the register write that starts the sender to the clock edge at which the
/// receiver's memory takes it; ns, over eight phases of the sender's byte and four of the
/// receiver's clock.
Spread qcdoc_mem_to_mem(Picoseconds memory_latency = 20'000);

/// `words` words on each of `links` links at once, from the one register write that starts all
/// engines until memory has taken the last; ns, the worst of eight byte phases.
double qcdoc_transfer_ns(int words, int links, Picoseconds memory_latency = 20'000);

enum class Busy : std::uint8_t { OneWay, BothWays };
/// Whether a cable of `bits` bit times carries a word in each 72 once it has settled, one way or
/// both, at every phase of one end's bytes, and frames, to the other's.
bool qcdoc_full_rate(int bits, Busy busy);
/// The longest cable that does, bits one way; the search begins with `good` and `bad`, which are
/// tried.
int qcdoc_longest_cable(Busy busy, int good, int bad);

/// A node passes a word on: bits from its arrival on one wire to its departure on another, over the
/// eight phases of the node's bytes to the sender's.
Spread qcdoc_passthrough_bits();

}  // namespace ht::bench
