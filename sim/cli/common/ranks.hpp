// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "sim/kernel/kernel.hpp"

namespace ht::cli {

/// The processes a command is spread over when it was started by mpirun; else just this one. Held
/// by main(), for as long as the command runs and its end is reported.
class Ranks {
 public:
  /// Just this process.
  Ranks() = default;
  /// Joins those that mpirun started, if it did. `started_as`: what all must have been started as,
  /// arguments and build. Throws UsageError if they were not, or if the program was built without
  /// MPI.
  explicit Ranks(const std::string& started_as);
  /// Ends MPI, which waits for the others.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Null for a single process.
  sim::RankExchange* exchange() const { return exchange_.get(); }

  /// Every process calls it when all is ready, before the machine runs, and may again before
  /// another one does. If one has failed until then, this throws what it did, in all.
  void begin();
  /// Every process calls it, behind begin(): throws UsageError, on all, unless `mine` is the same
  /// on all. The complaint is about the first process that has another one than process 0.
  using Complaint = std::function<std::string(std::size_t rank, const std::string& other,
                                              const std::string& first)>;
  void compare(const std::string& mine, const Complaint& complaint);
  /// Every process calls it when nothing is exchanged any more: what is left is the concern of who
  /// reports.
  void end();
  /// This process has failed. If that is told the others, because they are or will be in begin(),
  /// returns what is to be said of it on all; if they do not know, they are ended by mpirun, and
  /// this process says it alone.
  struct Verdict {
    int code = 0;
    std::string error;
    bool says = true;  ///< whether this process is the one to print it
  };
  Verdict fail(int code, const std::string& error);

  /// Whether the others know what has gone wrong here, and do what this process does: it may go on
  /// to exchange something with them.
  bool together() const { return exchange_ == nullptr || exchange_->ends_together(); }

  /// Whether this process prints and writes results: rank 0, which simulates node 0. Known from the
  /// environment, so that it can be asked before anything is initialised.
  static bool reports();
  /// Whether there are several. Known from the environment, too.
  static bool several();
  /// "process 1 of 4: ", or nothing for a single one, or for the one that reports.
  static std::string name();

 private:
  std::unique_ptr<sim::RankExchange> exchange_;
  bool begun_ = false;
};

}  // namespace ht::cli
