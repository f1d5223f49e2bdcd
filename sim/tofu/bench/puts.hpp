// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "sw/host/time.hpp"

/// Measurements of Tofu's network interfaces ([Tofu2012] sections 2 and 4.1) by programs on
/// Verilated interconnect controllers, through the drivers. All of it is simulated time: the same
/// on every computer. Cables and PHYs of 64 ns, 20 cycles.
namespace ht::bench {

/// From the write of a doorbell to the first look at which the neighbour's program sees the data,
/// ns: without cable and PHY, the register bus included. Without `memory_latency` of memory, too:
/// it answers a cycle later, which is not counted. The data are 8 bytes in the descriptor, and
/// translations are known.
double tofu_put8_ns(std::optional<Picoseconds> memory_latency = {});

/// Puts of `bytes` at once from one node, one by an interface, each to a neighbour of its own;
/// bytes a second of all together, from the doorbells until the last neighbour sees the last byte.
/// `interfaces` 1 to 4. Memory is read in `memory_latency`, or else a cycle.
double tofu_put_rate(int interfaces, std::uint64_t bytes,
                     std::optional<Picoseconds> memory_latency = {});

}  // namespace ht::bench
