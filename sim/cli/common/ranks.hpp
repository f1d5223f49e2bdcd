// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "sim/kernel/kernel.hpp"

namespace ht::cli {

/// The processes a run is spread over when it was started by mpirun; else just this one.
class Ranks {
 public:
  /// Initialises MPI if the environment says that there are several processes. Throws UsageError if
  /// there are, but the program was built without MPI.
  Ranks();
  /// Finalises it.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  /// Null for a single process.
  sim::RankExchange* exchange() const { return exchange_.get(); }

  /// Whether this process prints and writes results: rank 0, which simulates node 0. Known from the
  /// environment, so that it can be asked before anything is initialised.
  static bool reports();
  /// Whether there are several. Known from the environment, too.
  static bool several();

 private:
  std::unique_ptr<sim::RankExchange> exchange_;
};

}  // namespace ht::cli
