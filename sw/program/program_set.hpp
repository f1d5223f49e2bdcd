// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sw/program/crash_guard.hpp"
#include "sw/program/loaded_program.hpp"

namespace ht::program {

/// A program on all nodes of a machine.
class ProgramSet {
 public:
  /// Copies the file once for each of `nodes` nodes and loads the copies. The copies lie in TMPDIR
  /// (or /tmp) and are removed as soon as they are loaded. Throws DataError if the file is no
  /// program linked by hypertorus-cc, or the copies cannot be made.
  /// `record` must outlive it.
  ProgramSet(const std::string& path, int nodes, RunRecord& record);

  /// When `stop` is set, programs that do not wait for the network give way. It must outlive this.
  void stop_on(const std::atomic<bool>& stop);

  /// Programs that keep their turn for longer, in seconds of processor time, are ended: exit
  /// code 4. 0: none.
  void limit_turns(double seconds);

  /// How print_output() prints, from now on; see LinePrinter. `folder` is for Files.
  void set_output(OutputStyle style, const std::string& folder) {
    printer_ = LinePrinter(style, folder, size());
  }

  int size() const { return static_cast<int>(programs_.size()); }
  LoadedProgram& operator[](int rank) { return *programs_[static_cast<std::size_t>(rank)]; }
  const LoadedProgram& operator[](int rank) const {
    return *programs_[static_cast<std::size_t>(rank)];
  }
  std::vector<int> exit_codes() const;

  /// Prints what the nodes have written since the last call, after `first` if that is anything. No
  /// node may run meanwhile.
  void print_output(const std::function<void()>& first = {});

  /// What every node does, or how it ended: a line for each, nodes of the same state joined, as in
  /// "  nodes 0-4, 6: ended with exit code 0". Without those that crashed if `crashed` is false.
  std::string states(bool crashed = true) const;

  /// "node 3 ended with exit code 0, while others wait: nodes 0-2 in QMP_wait(), called from
  /// main()"; empty unless some have ended and others have not.
  std::string ended_early() const;

  /// Nodes that crashed, or aborted, or ended with another code than 0, as in "node 5" and "nodes
  /// 0-2, 5"; empty if there are none.
  std::string failed() const;

  /// Nodes of whose calls of the network one or more failed; empty if there are none.
  std::string refused() const;

  /// "node 3 crashed at ...", a line for each node that did.
  std::string crashed() const;

 private:
  /// Nodes with the same description of what they do.
  struct Group {
    std::string description;
    std::vector<int> ranks;
  };
  std::vector<Group> groups(const std::function<bool(const LoadedProgram&)>& which) const;

  ProgramFile file_;
  std::vector<std::unique_ptr<LoadedProgram>> programs_;
  CrashGuard guard_;
  LinePrinter printer_;
};

/// {0, 1, 2, 5} -> "nodes 0-2, 5"; {5} -> "node 5".
std::string name_nodes(std::span<const int> ranks);

}  // namespace ht::program
