// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/host/device_model.hpp"

namespace ht::qcdoc {

/// The PPC 440 of a QCDOC node (seed 000, section 2.1) as three devices, each with what a kernel
/// asks of it; README.md lists what is the paper's and what is assumed.
namespace ppc440 {

constexpr double clock_hz = 500e6;  ///< the target; the paper's machines ran at 360 to 450 MHz
constexpr double embedded_bytes = 4 * 1024.0 * 1024;
constexpr double embedded_bytes_a_cycle = 16;      ///< 8 GB/s at 500 MHz
constexpr double external_bytes_a_second = 2.6e9;  ///< DDR SDRAM, whatever the processor's clock

/// Near: the embedded memory; far: the external one.
host::Devices devices(double clock = clock_hz);

}  // namespace ppc440

struct Ppc440Options {
  double clock = ppc440::clock_hz;
  /// Hand-tuned code on a processor that issues in order lies in between.
  host::Overlap overlap = host::Overlap::Full;
  /// What host_path() answers. The communications unit reaches memory by itself (section 2.2).
  Picoseconds host_path = 0;
};

/// Charges the model's times to a node with a local lattice of the given shape.
class Ppc440 final : public host::DeviceModel {
 public:
  explicit Ppc440(const host::LocalLattice& lattice, const Ppc440Options& options = {});
};

}  // namespace ht::qcdoc
