// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <vector>

#include "sim/cli/exec/exec_options.hpp"
#include "sim/machine/machine.hpp"
#include "sw/host/errors.hpp"
#include "sw/program/program_set.hpp"
#include "sw/qmp/collective_log.hpp"
#include "sw/qmp/message_log.hpp"

namespace ht::cli {

/// What programs have to do with one another beside the network, while they run: what they print is
/// printed in one order, and what they call together is compared. Over all processes of the run,
/// as if there were one.
class ProgramNews {
 public:
  /// All must outlive it. `before` is called before something is printed.
  ProgramNews(const ExecOptions& options, machine::Machine& machine, program::ProgramSet& programs,
              sim::RankExchange* ranks, std::function<void()> before);

  /// The program that a local node runs, of ProgramSet: with partitions ranks are not unique.
  static int program_of(const ExecOptions& options, machine::Machine& machine, int node);

  qmp::CollectiveLog& collectives(int node) { return collectives_[job_of(node)]; }
  qmp::MessageLog& messages(int node) { return messages_[job_of(node)]; }

  /// At a window's end, whether there is something new.
  bool any() const;
  /// In every process, if there is in one. What CollectiveLog and MessageLog say of what another
  /// process has entered is thrown at the next one, in all.
  void exchange();
  /// What is left when nodes run no more, lines without an end, too; in every process.
  void finish();
  /// After that, if all programs ended well: throws, in every process, for a message that was sent
  /// and never received (TimeoutError: elsewhere its sender waits for ever), and for a global
  /// operation that not all nodes have come to (ProtocolError).
  void check_left();
  /// "node 0 has sent 8 bytes to node 1": a message that is not received yet, and may lie in a link
  /// or in its sender's node; empty if there is none. In every process.
  std::string unreceived() const;

 private:
  std::size_t job_of(int node) const;
  nlohmann::json take();
  void compare(const nlohmann::json& other);
  void print(std::vector<program::OutputLine> lines);

  const ExecOptions& options_;
  machine::Machine& machine_;
  program::ProgramSet& programs_;
  sim::RankExchange* ranks_;
  std::function<void()> before_;
  std::vector<std::set<int>> here_;  ///< ranks by job
  std::deque<qmp::CollectiveLog> collectives_;
  std::deque<qmp::MessageLog> messages_;
  std::vector<Error> wrong_;  ///< found, and not yet known to all
};

}  // namespace ht::cli
