// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
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

/// InterruptedError once `stop` is set.
inline void check_stop(const std::atomic<bool>& stop) {
  if (stop) throw InterruptedError("interrupted");
}

/// Hardware was asked for that cannot be built with such parameters.
class RefusedError : public Error {
 public:
  static constexpr int code = 8;
  explicit RefusedError(const std::string& m) : Error(static_cast<ExitCode>(code), m) {}
};

/// Runs of a sweep failed; the others are complete.
class SweepError : public Error {
 public:
  static constexpr int code = 9;
  explicit SweepError(const std::string& m) : Error(static_cast<ExitCode>(code), m) {}
};

/// A variant of a machine could not be built; ./hypertorus has the same code for its builds.
class BuildError : public Error {
 public:
  static constexpr int code = 12;
  explicit BuildError(const std::string& m) : Error(static_cast<ExitCode>(code), m) {}
};

}  // namespace ht::cli
