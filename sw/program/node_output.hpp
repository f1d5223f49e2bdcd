// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <array>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/host/time.hpp"

namespace ht::program {

/// A line that a node wrote to its standard output, or error.
struct OutputLine {
  Picoseconds time;
  int rank;
  bool error;
  std::string text;  ///< without a newline
};

/// One node's standard output and error. Lines are collected, with the simulated time at which they
/// were complete, until somebody takes them.
class NodeOutput {
 public:
  explicit NodeOutput(int rank);
  ~NodeOutput();
  NodeOutput(const NodeOutput&) = delete;
  NodeOutput& operator=(const NodeOutput&) = delete;

  /// What the program prints to; flushed line by line, and at once.
  FILE* standard_output() { return streams_[0]; }
  FILE* standard_error() { return streams_[1]; }

  /// Bytes past those streams' buffers; descriptor 1 or 2.
  ssize_t write(int descriptor, const void* data, std::size_t bytes);

  /// Where a line's time comes from; without, it is 0.
  void set_clock(std::function<Picoseconds()> clock) { clock_ = std::move(clock); }

  /// From now on standard output goes to `sink`, which is called on the program's fibre and may
  /// block, instead of being collected.
  void redirect(std::function<void(std::string_view)> sink) { sink_ = std::move(sink); }

  /// Ends lines that have no newline yet.
  void end_lines();

  /// The lines since the last call.
  std::vector<OutputLine> take();

 private:
  int rank_;
  std::function<Picoseconds()> clock_;
  std::function<void(std::string_view)> sink_;
  std::array<FILE*, 2> streams_{};
  std::array<std::string, 2> unfinished_;
  std::vector<OutputLine> lines_;
};

/// Prints the lines of several nodes with "[rank] " in front, by time, then by rank: an order that
/// does not depend on threads.
void print_lines(std::vector<OutputLine> lines);

}  // namespace ht::program
