// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/common/command.hpp"
#include "sim/cli/run/run_options.hpp"

namespace ht::cli {

/// `hypertorus run`: solves once over the functional network and once on the machine, compares
/// every word, and prints and writes what was found. Returns ExitCode::Ok or Mismatch (130 if it
/// was stopped meanwhile); throws for everything else.
int run_command(const RunOptions& options, Session& session);

}  // namespace ht::cli
