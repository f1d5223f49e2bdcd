// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <unistd.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sw/host/held_file.hpp"
#include "sw/host/time.hpp"

namespace ht::program {

/// A line that a node wrote to its standard output, or error.
struct OutputLine {
  Picoseconds time;
  int rank;
  bool error;
  std::string text;   ///< without a newline
  bool ended = true;  ///< there was one
};

/// One node's standard output and error. Lines are collected, with the simulated time at which they
/// were complete, until they are taken. The program's own threads may write, too.
class NodeOutput {
 public:
  explicit NodeOutput(int rank);
  ~NodeOutput();
  NodeOutput(const NodeOutput&) = delete;
  NodeOutput& operator=(const NodeOutput&) = delete;

  /// What the program prints to; flushed line by line, and at once.
  FILE* standard_output() { return streams_[0]; }
  FILE* standard_error() { return streams_[1]; }

  /// Bytes past those streams' buffers; descriptor 1 or 2. From a process that the program forked
  /// they go to that descriptor itself.
  ssize_t write(int descriptor, const void* data, std::size_t bytes);

  /// Whether this process is a copy of the simulator's that the program forked.
  bool is_forked() const { return getpid() != process_; }

  /// Where a line's time comes from; without, it is 0.
  void set_clock(std::function<Picoseconds()> clock);

  /// From now on standard output goes to `sink`, which is called on the program's fibre and may
  /// block, instead of being collected.
  void redirect(std::function<void(std::string_view)> sink);

  /// What has no newline is a line, too.
  void end_lines();

  bool has_lines() const;
  /// The lines since the last call.
  std::vector<OutputLine> take();

 private:
  int rank_;
  pid_t process_;
  mutable std::mutex mutex_;  ///< of all below
  std::function<Picoseconds()> clock_;
  std::function<void(std::string_view)> sink_;
  std::array<FILE*, 2> streams_{};
  std::array<std::string, 2> unfinished_;
  std::vector<OutputLine> lines_;
};

/// What the lines of a machine's nodes look like.
enum class OutputStyle {
  Prefix,  ///< with "[rank] " in front
  Plain,   ///< as they were written
  Files    ///< as they were written, in a file for each node and stream
};

/// A node's file of OutputStyle::Files: "node3.out", or "node3.err", in `folder`.
std::string file_of_node(const std::string& folder, int rank, bool error);

/// Prints the lines of several nodes by time, then by rank: an order that does not depend on
/// threads.
class LinePrinter {
 public:
  LinePrinter() = default;
  /// Files: "node0.out", "node0.err" and so on in `folder`, made or emptied here, those for
  /// standard error with the first line. Throws DataError if that cannot be, or while another
  /// process writes its lines there.
  LinePrinter(OutputStyle style, std::string folder, int nodes);

  /// Throws DataError for a file that takes no more.
  void print(std::vector<OutputLine> lines);

 private:
  std::ofstream& file(int rank, bool error);

  OutputStyle style_ = OutputStyle::Prefix;
  std::string folder_;
  std::string place_;  ///< the same, whatever folder a program makes the current one
  std::map<std::pair<int, bool>, std::ofstream> files_;
  std::unique_ptr<host::HeldFile> first_;  ///< Files: node 0's, for all of them
  bool in_line_ = false;                   ///< Plain: the last one had no newline
};

}  // namespace ht::program
