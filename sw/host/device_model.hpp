// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "sw/host/processor_model.hpp"
#include "sw/host/wilson_kernels.hpp"

namespace ht::host {

/// What a processor's devices do in a cycle, all of its cores together. The two memories are the
/// near one and the far one of FieldPlacement.
struct Devices {
  double flops = 0;
  double instructions = 0;       ///< floating point, a multiply and an add each at the most
  double loads = 0, stores = 0;  ///< reals; a cycle has either
  double near_bytes = 0, far_bytes = 0;
};

/// Whether devices work at the same time, so that the slowest sets the pace, or one after the
/// other. Code on a real processor lies in between.
enum class Overlap : std::uint8_t { Full, None };

/// What a kernel needs of each device, in cycles.
struct KernelTimes {
  double peak = 0;  ///< its flop alone
  double floating_point = 0;
  double load_store = 0;
  double memory = 0;

  double execution(Overlap overlap) const;
};
KernelTimes kernel_times(const Kernel& kernel, const Devices& devices, FieldPlacement placement,
                         int real_bytes);

/// What a DeviceModel is made from.
struct DeviceModelOptions {
  std::string title;  ///< "PPC 440"
  /// What name() adds, by FieldPlacement.
  const char* near = "";
  const char* links_far = "";
  const char* far = "";
  double clock = 0;  ///< Hz
  Devices devices;
  double near_capacity = 0;  ///< bytes
  double far_capacity = 0;
  Overlap overlap = Overlap::Full;
  Picoseconds host_path = 0;
  /// Cores that share a kernel's sites: the one that has most sets the pace, and they meet at a
  /// barrier at its end.
  int cores = 1;
  Picoseconds barrier = 0;
};

/// A processor of a few devices and two memories, with a local lattice of the given shape.
class DeviceModel : public ProcessorModel {
 public:
  /// Double precision decides where fields live; fields in single precision may fit better.
  FieldPlacement placement(int real_bytes) const;

  std::string name() const override;
  double peak_flops(int real_bytes) const override;
  Picoseconds hopping_time(std::int64_t sites, int real_bytes) const override;
  Picoseconds linear_time(std::int64_t sites, int real_bytes, int spinors_read, int spinors_written,
                          int flops) const override;
  Picoseconds pack_time(std::int64_t sites, int real_bytes, bool multiplied) const override;
  Picoseconds kernel_time(const Kernel& kernel, std::int64_t sites, int real_bytes) const override;
  Picoseconds copy_time(std::int64_t bytes) const override;
  Picoseconds host_path() const override { return options_.host_path; }

 protected:
  /// Throws UsageError for a lattice with a length below 1, or one that does not fit the far
  /// memory, or a clock that is not above 0.
  DeviceModel(const LocalLattice& lattice, DeviceModelOptions options);

 private:
  Picoseconds time(const Kernel& kernel, int real_bytes, std::int64_t count) const;

  LocalLattice lattice_;
  DeviceModelOptions options_;
};

}  // namespace ht::host
