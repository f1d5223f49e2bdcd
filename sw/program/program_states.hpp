// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sw/program/loaded_program.hpp"

namespace ht::program {

/// What one node's program does, or how it ended.
struct ProgramState {
  int rank = 0;
  LoadedProgram::State state = LoadedProgram::State::NotStarted;
  int exit_code = 0;
  std::string description;            ///< LoadedProgram::description()
  std::vector<std::string> refusals;  ///< LoadedProgram::refusals()
};

/// The same of all nodes of a machine, in ascending order, and what is said of them.
class ProgramStates {
 public:
  explicit ProgramStates(std::vector<ProgramState> all) : all_(std::move(all)) {}

  const std::vector<ProgramState>& all() const { return all_; }
  /// Empty for a program that has not ended: it has no code yet.
  std::vector<std::optional<int>> exit_codes() const;

  /// What every node does, or how it ended: a line for each, nodes of the same state joined, as in
  /// "  nodes 0-4, 6: ended with exit code 0". Without those that crashed if `crashed` is false.
  std::string text(bool crashed = true) const;

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
  std::vector<ProgramState> all_;
};

/// {0, 1, 2, 5} -> "nodes 0-2, 5"; {5} -> "node 5".
std::string name_nodes(std::span<const int> ranks);

}  // namespace ht::program
