// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

#include "sw/host/errors.hpp"

namespace ht::cli {

/// What a command returns that was ended in order from outside: 128 + SIGINT, as shells have it.
/// The codes of errors are ht::ExitCode.
constexpr int exit_interrupted = 130;

/// Somebody asked from outside that it ends: Ctrl-C, SIGTERM, SIGHUP.
class InterruptedError : public Error {
 public:
  explicit InterruptedError(const std::string& m)
      : Error(static_cast<ExitCode>(exit_interrupted), m) {}
};

}  // namespace ht::cli
