// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ht::cli {

/// What a command returns that Ctrl-C ended in order: 128 + SIGINT, as shells have it. The codes of
/// errors are ht::ExitCode.
constexpr int exit_interrupted = 130;

}  // namespace ht::cli
