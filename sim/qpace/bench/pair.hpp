// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sim/qpace/bench/bench.hpp"
#include "sim/qpace/machine.hpp"

namespace ht::bench {

/// Options of the machine of two nodes that `options` asks for.
machine::QpaceMachineOptions pair_machine(const PairOptions& options);

/// When packets were written to a node's memory: the times of their last beats.
class Arrivals {
 public:
  /// From now on; `this` must outlive the node's runs.
  explicit Arrivals(machine::NwpNode& node);
  Arrivals(const Arrivals&) = delete;
  Arrivals& operator=(const Arrivals&) = delete;

  std::size_t count() const { return times_.size(); }
  /// GB/s of payload from packet `first` to packet `last`.
  double rate(std::size_t first, std::size_t last) const;

 private:
  std::vector<Picoseconds> times_;
};

/// Throws ProtocolError unless on every cable as much was accepted as was sent and the checksums of
/// both ends agree.
void require_delivered(machine::QpaceMachine& machine);

}  // namespace ht::bench
