// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "sim/kernel/clock.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/loss_watch.hpp"

namespace ht::machine {

/// A part of a machine that stops permanently at a time: a node, or, with a link, the cable that is
/// plugged in there, in both directions.
struct Loss {
  Picoseconds time = 0;
  int node = 0;
  std::optional<int> link;
};
using Losses = std::vector<Loss>;

/// A node whose hardware failed by itself, and what its software found.
struct Fault {
  Picoseconds time = 0;  ///< when it had been found
  int node = 0;
  std::string what;
};

/// How a node's program ended that watched for losses.
struct NodeEnd {
  std::exception_ptr error;        ///< what it threw, if that was in this process
  Picoseconds time = sim::kNever;  ///< when it gave up; kNever: it did not
  std::optional<host::LossStatement> said;
  std::string fault;  ///< of the node's own hardware
};

/// What a node said of a loss; nothing, if its program had come to its end.
struct NodeStatement {
  int node = 0;
  bool lost = false;  ///< it was killed
  std::optional<host::LossStatement> said;
  std::string text;    ///< for people; empty if it said nothing
  bool named = false;  ///< what it said names everything that is gone
};

/// How a run ended that lost a part of its machine.
struct LossReport {
  Losses gone;                     ///< until its end
  std::vector<std::string> names;  ///< of these: "node 5", "the cable from node 0 +x to node 1"
  std::vector<NodeStatement> statements;  ///< by node

  /// Nodes that are left, and those of them that have named everything that is gone.
  int left() const;
  int named() const;
  /// From the first loss to the last node's statement.
  Picoseconds longest() const;
  /// One line a node and one for all.
  std::string text() const;
};

/// A part of the machine was lost while programs ran.
class LossError : public Error {
 public:
  /// `why_not`: what keeps the programs from going on with what is left; empty: nobody has asked.
  explicit LossError(LossReport report, const std::string& why_not = "");
  const LossReport& report() const { return report_; }

 private:
  LossReport report_;
};

}  // namespace ht::machine
