// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/kernel/clock.hpp"
#include "sw/host/held_file.hpp"

class VerilatedFstC;

namespace ht::machine {

class DecodedSignals;
struct WaveLayout;

/// What to write of a node's signals, and where.
struct TraceOptions {
  std::string stem;  ///< of STEM.node<N>.fst and the save file STEM.node<N>.gtkw beside it
  Picoseconds from = 0, to = sim::kNever;
  /// Numbers of links, 0 (+x), 1 (-x), ...: only these and the node's pins. Empty: everything.
  std::vector<int> links;
  /// Levels of hierarchy: 1 the node's pins, 2 its own signals, 4 those of a link, 5 those of a
  /// link's parts; 0: all.
  int depth = 0;
  Picoseconds marker = -1;  ///< where the save file puts GTKWave's marker; -1: nowhere
};

/// What a trace must know of a node's Verilog.
struct TraceTop {
  int links;                 ///< that a node has
  const WaveLayout& layout;  ///< must outlive the trace
  /// Calls the Verilated model's trace(file, levels).
  std::function<void(VerilatedFstC* file, int levels)> attach;
  /// Signals that are not in the Verilog, for these links of the node whose scope is `node`.
  std::function<std::unique_ptr<DecodedSignals>(std::string node, std::vector<int> links)> decode;
  /// So long before the window, what goes over the wires is followed already.
  Picoseconds lead_in;
};

/// A wave file (FST, for GTKWave) of one node between two times, and a GTKWave save file that
/// groups its signals by link. Time in the file is simulated time in ps. Closed when it is
/// destroyed.
class NodeTrace {
 public:
  /// `cables`: what each link's cable is called. Throws DataError if a file cannot be written.
  NodeTrace(const TraceTop& top, int rank, const TraceOptions& options,
            std::span<const std::string> cables);
  ~NodeTrace();
  /// Throws DataError if the waves of node `rank` could not be written to STEM.
  static void check_writable(const std::string& stem, int rank);
  NodeTrace(const NodeTrace&) = delete;
  NodeTrace& operator=(const NodeTrace&) = delete;

  /// Records what changed; call after every evaluation that has a rising edge. `link_edge`: of the
  /// links' clock, too. Outside of [from, to) nothing is written.
  void dump(Picoseconds now, bool link_edge);

  /// Nothing changes before `until`: if [from, to) begins meanwhile, what stands then is recorded.
  void rest(Picoseconds until);

  /// Ends the file. Throws DataError if not all of it could be written: Verilator's writer does not
  /// say so.
  void close();

 private:
  std::string name_;  ///< of the file, where symbolic links lead: the writer would replace those
  host::HeldFile held_;
  std::unique_ptr<DecodedSignals> decoded_;
  std::unique_ptr<VerilatedFstC> file_;
  Picoseconds follow_, from_, to_;
  Picoseconds last_ = -1;
};

}  // namespace ht::machine
