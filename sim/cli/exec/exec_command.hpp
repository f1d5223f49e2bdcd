// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cli/common/command.hpp"
#include "sim/cli/exec/exec_options.hpp"

namespace ht::cli {

/// `hypertorus exec`: runs a program that hypertorus-cc built on every node of a machine. Returns
/// the exit code; throws MismatchError if a node's program ended with another code than 0 or
/// aborted, ProtocolError if it crashed, TimeoutError if nothing moves any more: each with what
/// every node does. Throws DataError for a file that is not such a program.
int exec_command(const ExecOptions& options, Session& session);

}  // namespace ht::cli
