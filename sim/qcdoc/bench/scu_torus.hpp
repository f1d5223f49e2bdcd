// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "sim/qcdoc/machine.hpp"

namespace ht::bench {

struct ScuTorusOptions {
  /// One to six axes. Where an axis has length 1, or is missing, a node's + link is cabled to its
  /// own - link.
  std::vector<int> shape{2};
  Picoseconds cable_delay = 20'000;         ///< 10 bits, one way
  std::vector<int> byte_phases{};           ///< by node, 0 to 7 cycles; missing: 0
  std::vector<Picoseconds> clock_phases{};  ///< by node; missing: 0
  Picoseconds memory_latency = 20'000;      ///< of memory
};

/// The machine of these options.
machine::QcdocMachineOptions qcdoc_machine(const ScuTorusOptions& options);

/// QCDOC nodes whose phases are chosen and whose units are used directly, so that no library's time
/// hides the network's: register writes take the bus' time and nothing else.
class ScuTorus {
 public:
  explicit ScuTorus(const ScuTorusOptions& options);

  using Program = std::function<void(int rank, qcdoc::Scu& scu)>;
  /// Runs `program` on every node, all links up, until all have ended and nothing moves.
  void run(const Program& program);

  int size() const { return machine_.size(); }
  machine::ScuNode& node(int rank) { return machine_.node(rank); }
  machine::QcdocMachine& machine() { return machine_; }

 private:
  machine::QcdocMachine machine_;
};

/// Throws ProtocolError unless on every cable as much was accepted as was sent, nothing twice, and
/// the checksums of both ends agree.
void require_delivered(machine::QcdocMachine& machine);

/// Until the node's clock is `cycle` cycles (0 to 7) into a byte, at least a microsecond from now.
void wait_for_phase(host::Runtime& runtime, int cycle);

}  // namespace ht::bench
