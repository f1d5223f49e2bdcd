// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>

#include "sim/cli/compare/compare_options.hpp"

namespace ht::cli {

/// `hypertorus compare`: the same solve on every machine, held against one node without a network;
/// messages between neighbours by size; side by side. Returns ExitCode::Ok, Mismatch unless all
/// runs are bit-exact (130 if `stop` was set meanwhile); throws for everything else.
int compare_command(const CompareOptions& options, const std::atomic<bool>& stop);

}  // namespace ht::cli
