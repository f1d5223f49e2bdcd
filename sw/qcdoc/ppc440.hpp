// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <mutex>
#include <vector>

#include "sw/host/processor_model.hpp"
#include "sw/qcdoc/ppc440_schedule.hpp"

namespace ht::qcdoc {

/// The PPC 440 of a QCDOC node and its memories ([QCDOC2004] section 2.1); README.md lists what is
/// the paper's, what the processor's manual says and what is assumed.
namespace ppc440 {

constexpr double clock_hz = 500e6;  ///< the target; the paper's machines ran at 360 to 450 MHz
constexpr double external_capacity = 0x1p31;  ///< bytes of a node

}  // namespace ppc440

struct Ppc440Options {
  double clock = ppc440::clock_hz;
  ppc440::CoreTiming core = {};
  ppc440::MemoryTiming memory = {};
  /// What host_path() answers. The communications unit reaches memory by itself (section 2.2).
  Picoseconds host_path = 0;
};

/// Charges to a node with a local lattice of the given shape what its kernels take when they are
/// scheduled (ppc440_schedule.hpp), each once. Safe to use from several threads.
class Ppc440 final : public host::ProcessorModel {
 public:
  /// Throws UsageError for a lattice with a length below 1, or one that does not fit 2 GB, or a
  /// clock that is not above 0.
  explicit Ppc440(const host::LocalLattice& lattice, const Ppc440Options& options = {});

  /// Where fields live, in that precision.
  host::FieldPlacement placement(int real_bytes) const;
  /// A kernel of a sweep over one parity; with `to_send` over a face, into a send buffer.
  ppc440::Scheduled scheduled(const host::Kernel& kernel, int real_bytes,
                              bool to_send = false) const;

  std::string name() const override;
  double peak_flops(int /*real_bytes*/) const override { return 2 * options_.clock; }
  Picoseconds hopping_time(std::int64_t sites, int real_bytes) const override;
  Picoseconds linear_time(std::int64_t sites, int real_bytes, int spinors_read, int spinors_written,
                          int flops) const override;
  Picoseconds pack_time(std::int64_t sites, int real_bytes, bool multiplied) const override;
  Picoseconds kernel_time(const host::Kernel& kernel, std::int64_t sites,
                          int real_bytes) const override;
  Picoseconds copy_time(std::int64_t bytes) const override;
  Picoseconds host_path() const override { return options_.host_path; }
  double memory_share(const host::Kernel& kernel, int real_bytes) const override;

 private:
  Picoseconds time(const host::Kernel& kernel, std::int64_t sites, int real_bytes,
                   bool to_send = false) const;

  struct Known {
    host::Kernel kernel;
    int real_bytes;
    bool to_send;
    ppc440::Scheduled scheduled;
  };
  host::LocalLattice lattice_;
  Ppc440Options options_;
  mutable std::mutex mutex_;
  mutable std::vector<Known> known_;
};

}  // namespace ht::qcdoc
