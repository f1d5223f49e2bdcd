// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/kernel.hpp"
#include "sw/host/wilson_kernels.hpp"
#include "sw/qcdoc/ppc440_memory.hpp"

namespace ht::qcdoc::ppc440 {

/// Times of the processor, in cycles.
struct CoreTiming {
  int arithmetic = 5;  ///< from a floating-point instruction to one that needs its result
  int load = 4;        ///< from a load that hits to the instruction that needs it
  int lead = 8;        ///< loads that code issues before the arithmetic that needs the first
  int ahead = 64;      ///< floating-point instructions by which code touches lines ahead
  int step = 1;        ///< integer instructions of a step's repetition that gathers
  int site = 4;        ///< of a site: its loop
};

/// Where a kernel's sites lie.
enum class Order : std::uint8_t {
  Sweep,  ///< all sites of one parity
  Face,   ///< those of a face across z: two-dimensional pieces of consecutive sites
};

/// What is scheduled: a kernel on the sites of a local lattice, its fields in memories.
struct Sweep {
  host::Kernel kernel;
  host::LocalLattice lattice{};
  int real_bytes = 8;
  host::FieldPlacement placement = host::FieldPlacement::Near;
  Order order = Order::Sweep;
  /// Results go past the cache, to where the communications unit reads them.
  bool to_send = false;
};

/// Of a site, in the steady state: of the second of two sweeps, or of as many sites of a large
/// lattice as show it.
struct Scheduled {
  double cycles = 0;
  double embedded_lines = 0, external_lines = 0;  ///< fetched
  double memory_share = 0;  ///< of the cycles, in which the embedded memory worked for it
};

/// Issues the kernel's instructions, in order: two a cycle, one of them floating point and one a
/// load, store or touch at the most. Deterministic.
Scheduled schedule(const Sweep& sweep, const CoreTiming& core, const MemoryTiming& memory,
                   double clock);

}  // namespace ht::qcdoc::ppc440
