// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "sim/cli/run/run_options.hpp"

namespace ht::cli {

/// `hypertorus run`: solves once over the functional network and once on the machine, compares
/// every word, and prints and writes what was found. Returns ExitCode::Ok or Mismatch (130 if
/// `stop` was set meanwhile); throws for everything else.
int run_command(const RunOptions& options, const std::atomic<bool>& stop);

}  // namespace ht::cli
