// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "sw/host/time.hpp"
#include "sw/host/wilson_kernels.hpp"

namespace ht::host {

/// How long a node's processor takes for the kernels of a lattice-QCD solver, all of its cores
/// working together: what a program charges with Runtime::advance(). Transfers between nodes are
/// left out, since the simulated network takes their time. `real_bytes` is 8 (double) or 4
/// (single). Every duration is in whole picoseconds, rounded up.
class ProcessorModel {
 public:
  virtual ~ProcessorModel() = default;

  virtual std::string name() const = 0;

  /// Flop/s of a node.
  virtual double peak_flops(int real_bytes) const = 0;

  /// The Wilson hopping term (1320 flop a site) on `sites` sites.
  virtual Picoseconds hopping_time(std::int64_t sites, int real_bytes) const = 0;

  /// Linear algebra on fields of spinors (24 reals a site): the spinors it reads and writes and the
  /// flop it does, a site. A caxpy is (2, 1, 96), a norm (1, 0, 48).
  virtual Picoseconds linear_time(std::int64_t sites, int real_bytes, int spinors_read,
                                  int spinors_written, int flops) const = 0;

  /// Projects `sites` spinors to half-spinors (12 reals) in a send buffer, multiplied by their link
  /// (18 reals) if `multiplied`.
  virtual Picoseconds pack_time(std::int64_t sites, int real_bytes, bool multiplied) const = 0;

  /// Any other kernel, by what one of its `sites` needs.
  virtual Picoseconds kernel_time(const Kernel& kernel, std::int64_t sites,
                                  int real_bytes) const = 0;

  /// Copies memory to memory.
  virtual Picoseconds copy_time(std::int64_t bytes) const = 0;

  /// How much of a kernel's time the memory works for it that the network reaches, too: 0 to 1.
  virtual double memory_share(const Kernel& /*kernel*/, int /*real_bytes*/) const { return 0; }

  /// What a message takes on top of what the network is simulated to take, from the memory of one
  /// processor to its network and from the network to the memory of the other, both together.
  virtual Picoseconds host_path() const = 0;
};

}  // namespace ht::host
