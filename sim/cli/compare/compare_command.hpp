// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/common/command.hpp"
#include "sim/cli/compare/compare_options.hpp"

namespace ht::cli {

/// `hypertorus compare`: the same solve on every machine, compared with one node without a network;
/// messages between neighbours by size; side by side. Returns ExitCode::Ok, Mismatch unless all
/// runs are bit-exact (130 if it was stopped meanwhile); throws for everything else.
int compare_command(const CompareOptions& options, Session& session);

}  // namespace ht::cli
