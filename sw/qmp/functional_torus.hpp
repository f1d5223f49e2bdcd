// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// A machine without hardware on which user programs run: `hypertorus exec --network
/// functional`. FunctionalMachine knows QMP and nothing else; a machine with an interface of its
/// own, which programs call beside QMP, has one that serves that, too.
class FunctionalTorus {
 public:
  /// What a node runs; QMP calls inside it act on that node. Returns its exit code.
  using Program = std::function<int(Transport&)>;

  virtual ~FunctionalTorus() = default;

  /// Runs `program` on every node that has a rank; exit codes by rank. Throws TimeoutError, with a
  /// list of who waits for what, when no node can go on, and what programs throw.
  virtual std::vector<int> run(const Program& program) = 0;

  /// Simulated time at which the last node of the last run ended.
  virtual Picoseconds elapsed() const = 0;
};

}  // namespace ht::qmp
