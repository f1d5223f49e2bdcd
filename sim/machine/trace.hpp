// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>
#include <string>

#include "sw/host/time.hpp"

class VerilatedFstC;
class Vqpace_nwp;

namespace ht::machine {

/// A wave file (FST, for GTKWave) of one node between two times. Time in the file is simulated time
/// in ps. Closed when it is destroyed. Throws DataError if the file cannot be written.
class NodeTrace {
 public:
  NodeTrace(Vqpace_nwp& top, const std::string& file, Picoseconds from, Picoseconds to);
  ~NodeTrace();
  NodeTrace(const NodeTrace&) = delete;
  NodeTrace& operator=(const NodeTrace&) = delete;

  /// Records what changed; call after every evaluation. Outside of [from, to) nothing is written.
  void dump(Picoseconds now);

 private:
  std::unique_ptr<VerilatedFstC> file_;
  Picoseconds from_, to_;
  Picoseconds last_ = -1;
};

}  // namespace ht::machine
