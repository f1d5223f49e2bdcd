// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/common/command.hpp"
#include "sim/cli/evolve/evolve_options.hpp"

namespace ht::cli {

/// `hypertorus evolve`: hybrid Monte Carlo once on a single functional node and once on the
/// machine; every word of the last field and every number of every trajectory must be the same.
/// Returns ExitCode::Ok or Mismatch (130 if it was stopped meanwhile); throws for everything else.
int evolve_command(EvolveOptions options, Session& session);

}  // namespace ht::cli
