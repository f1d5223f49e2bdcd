// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sw/host/errors.hpp"

namespace ht::cli {

/// What a command returns that was ended in order from outside.
constexpr int exit_interrupted = static_cast<int>(ExitCode::Interrupted);

/// Somebody asked from outside that it ends: Ctrl-C, SIGTERM, SIGHUP.
class InterruptedError : public Error {
 public:
  explicit InterruptedError(const std::string& m) : Error(ExitCode::Interrupted, m) {}
};

}  // namespace ht::cli
