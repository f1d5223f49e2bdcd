// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/dirac/job.hpp"

namespace ht::dirac {

/// A field by site of the whole lattice, as a node or all of them have it: bytes of one site each.
using SiteBytes = std::map<std::int64_t, std::vector<std::byte>>;

/// What a solve is between two iterations of a column: all that the next ones depend on.
struct SolverState {
  int column = 0;
  double residual = 0, target = 0;  ///< |r|^2, and that at which the solver stops
  std::vector<double> history;      ///< |r|^2 at the start and after every iteration
  SiteBytes x, r, p;                ///< those sites that the solver iterates on
  int iterations() const { return static_cast<int>(history.size()) - 1; }
};

/// A node's state of a job: columns that are done, and the one under way.
struct NodeState {
  std::vector<ColumnResult> columns;
  std::vector<SiteBytes> solutions;
  SolverState solver;
};

/// Files in which the nodes of a run keep their states, one a node, twice: while one set is being
/// written the other is whole. Each has the job's name and a CRC-32 over all of it, and appears
/// complete or not at all. Nodes of one run may use it from any threads.
class Checkpoints {
 public:
  /// Files STEM.nodeN.0 and .1, one every `every` iterations. `job`: what must be equal of two runs
  /// for one to go on from the other's state.
  Checkpoints(std::string stem, int every, std::string job);

  int every() const { return every_; }
  /// Throws DataError if a file cannot be written.
  void save(int node, int nodes, const NodeState& state);

  /// Reads the newest set that is whole; run_solve_job() goes on from there, or from what an
  /// earlier call found. False if there is none: then it starts anew. `nodes` wrote it. Throws
  /// DataError for a damaged file only if no set is whole.
  bool read(int nodes);
  /// What read() found.
  const std::optional<NodeState>& found() const { return found_; }
  /// Removes the files of so many nodes.
  void remove(int nodes) const;

 private:
  std::string file(int node, int set) const;

  std::string stem_;
  int every_;
  std::string job_;
  std::optional<NodeState> found_;
};

/// A state as bytes, and back. Throws DataError, saying what is wrong with `name`.
std::string to_bytes(const NodeState& state, const std::string& job, int node, int nodes);
NodeState from_bytes(const std::string& bytes, const std::string& job, int node, int nodes,
                     const std::string& name);

}  // namespace ht::dirac
