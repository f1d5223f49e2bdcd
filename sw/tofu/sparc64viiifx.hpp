// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/device_model.hpp"

namespace ht::tofu {

/// The SPARC64 VIIIfx of a node of the K computer, Tofu's first. [Tofu2012] and [Tofu2012ja] only
/// name it; README.md lists what is published elsewhere and what is assumed.
namespace sparc64viiifx {

constexpr double clock_hz = 2e9;
constexpr int cores = 8;
/// Two SIMD units of HPC-ACE a core, of two lanes that multiply and add, double or single.
constexpr int multiply_adds_a_core = 4;
constexpr double cache_bytes = 6 * 1024.0 * 1024;  ///< second level, shared by the cores
constexpr double memory_bytes_a_second = 64e9;
constexpr double node_bytes = 0x1p34;
/// The cores' hardware barrier (assumed: some 100 cycles; only that it is in hardware is
/// published).
constexpr Picoseconds barrier = 50'000;

/// Near: the second-level cache; far: memory.
host::Devices devices();

}  // namespace sparc64viiifx

struct Sparc64ViiifxOptions {
  host::Overlap overlap = host::Overlap::Full;
  /// At the end of every kernel, all eight cores together.
  Picoseconds barrier = sparc64viiifx::barrier;
  /// What host_path() answers. Network interfaces reach memory by themselves (section 4.1).
  Picoseconds host_path = 0;
};

/// Charges the model's times to a node with a local lattice of the given shape.
class Sparc64Viiifx final : public host::DeviceModel {
 public:
  explicit Sparc64Viiifx(const host::LocalLattice& lattice,
                         const Sparc64ViiifxOptions& options = {});
};

}  // namespace ht::tofu
