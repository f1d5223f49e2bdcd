// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sw/host/kernel.hpp"

namespace ht::dirac {

/// What a node's program spends its time on: computing (starting messages included), waiting for
/// halos, global sums.
enum class Phase : std::uint8_t { Compute, Halo, Sum };
constexpr int kPhases = 3;

/// The hopping term on `sites` sites: 1320 flop a site; each loads 8 neighbour (half-)spinors and 8
/// links and stores a spinor of 24 reals.
struct HoppingWork {
  std::int64_t sites = 0;
  int real_bytes = 8;     ///< 8 double, 4 single
  bool boundary = false;  ///< sites with a neighbour in a halo (computed after the halos came)
};

/// Half-spinors (12 reals) of `sites` sites projected into a send buffer; `multiplied` ones are
/// also multiplied by a link.
struct PackWork {
  std::int64_t sites = 0;
  int real_bytes = 8;
  bool multiplied = false;
};

/// Linear algebra on fields of spinors (24 reals a site).
struct LinearWork {
  std::int64_t sites = 0;
  int real_bytes = 8;
  int spinors_read = 0;     ///< a site
  int spinors_written = 0;  ///< a site
  int flops = 0;            ///< a site
};

/// Any other kernel, by its description.
struct KernelWork {
  std::int64_t sites = 0;
  int real_bytes = 8;
  host::Kernel kernel;
};

/// Receives the work that a node does, as it is done, so that a model of its processor can let
/// simulated time pass. Called on the node's fibre only; may block in simulated time.
class WorkMeter {
 public:
  virtual ~WorkMeter() = default;
  virtual void hopping(const HoppingWork& work) = 0;
  virtual void pack(const PackWork& work) = 0;
  virtual void linear(const LinearWork& work) = 0;
  virtual void kernel(const KernelWork& work) = 0;
  /// A phase ended that lasted from `begin` to `end` (seconds of QMP_time()).
  virtual void phase(Phase /*phase*/, double /*begin*/, double /*end*/) {}
};

/// Computing costs nothing: for functional runs.
class FreeWork final : public WorkMeter {
 public:
  void hopping(const HoppingWork&) override {}
  void pack(const PackWork&) override {}
  void linear(const LinearWork&) override {}
  void kernel(const KernelWork&) override {}
};

}  // namespace ht::dirac
