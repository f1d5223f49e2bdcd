// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/common/command.hpp"
#include "sim/cli/run/run_options.hpp"

namespace ht::cli {

/// `hypertorus run --partition`: one machine, split in two by its redundant link interfaces, solves
/// two jobs at once: partition p the field, or the errors, of seed + p. Each is compared with its
/// own functional reference. Returns the exit code: that of the lower partition that did not
/// succeed. Throws UsageError for options that need the whole machine.
int run_partitions(const RunOptions& options, Session& session);

}  // namespace ht::cli
