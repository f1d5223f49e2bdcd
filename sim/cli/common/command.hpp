// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <string>
#include <vector>

#include "sim/cli/common/ranks.hpp"
#include "sim/output/results.hpp"
#include "sim/plugin/catalog.hpp"

namespace CLI {
class App;
}

namespace ht::program {
struct RunRecord;
}

namespace ht::cli {

/// What a command is given beside its options.
struct Session {
  const std::atomic<bool>& stop;  ///< set from outside: end in order
  Results& results;               ///< for --json; written by who called the command
  program::RunRecord& programs;   ///< what nodes' own programs do, for who watches this process
  Ranks& ranks;                   ///< the processes that the command is spread over
};

/// A subcommand of the program. Each but `run` is a library of its own, hypertorus-command-NAME.so,
/// that is opened when it is called; it exports hypertorus_command(), which returns the object.
class Command {
 public:
  virtual ~Command() = default;

  /// Declares its options, and subcommands, on its `app`. `catalog` outlives the command.
  virtual void declare(CLI::App& app, const machine::MachineCatalog& catalog) = 0;
  /// Words that follow "--": a program and its arguments. Null: the command takes none.
  virtual std::vector<std::string>* program() { return nullptr; }
  /// Whether the first Ctrl-C, SIGTERM or SIGHUP sets `stop` and the command then ends in order;
  /// asked once the options are there.
  virtual bool stops_in_order() { return true; }
  /// Whether it makes use of the processes that mpirun starts; else it is refused there.
  virtual bool spreads() const { return false; }
  /// Returns the exit code. Throws what ht::Error says.
  virtual int run(Session& session) = 0;
};

}  // namespace ht::cli
