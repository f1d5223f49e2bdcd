// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "sim/kernel/clock.hpp"

class VerilatedFstC;
class Vqpace_nwp;

namespace ht::machine {

class DecodedSignals;

/// What to write of a node's signals, and where.
struct TraceOptions {
  std::string stem;  ///< of STEM.node<N>.fst and the save file STEM.node<N>.gtkw beside it
  Picoseconds from = 0, to = sim::kNever;
  /// Numbers of links, 0 (+x) to 5 (-z): only these and the node's pins. Empty: everything.
  std::vector<int> links;
  /// Levels of hierarchy: 1 the node's pins, 2 its own signals, 4 those of a link, 5 those of a
  /// link's parts; 0: all.
  int depth = 0;
  Picoseconds marker = -1;  ///< where the save file puts GTKWave's marker; -1: nowhere
};

/// A wave file (FST, for GTKWave) of one node between two times, and a GTKWave save file that
/// groups its signals by link. Time in the file is simulated time in ps. Closed when it is
/// destroyed.
class NodeTrace {
 public:
  /// `cables`: what each link's cable is called. Throws DataError if a file cannot be written.
  NodeTrace(Vqpace_nwp& top, int rank, const TraceOptions& options,
            const std::array<std::string, 6>& cables);
  ~NodeTrace();
  NodeTrace(const NodeTrace&) = delete;
  NodeTrace& operator=(const NodeTrace&) = delete;

  /// Records what changed; call after every evaluation that has a rising edge. Outside of [from,
  /// to) nothing is written.
  void dump(Picoseconds now);

 private:
  const Vqpace_nwp& top_;
  std::unique_ptr<DecodedSignals> decoded_;
  std::unique_ptr<VerilatedFstC> file_;
  Picoseconds from_, to_;
  Picoseconds last_ = -1;
};

}  // namespace ht::machine
