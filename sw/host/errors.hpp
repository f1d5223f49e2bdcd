// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <stdexcept>
#include <string>

namespace ht {

/// How the program ends. Every error type below knows its code; main() is the one place that
/// turns an exception into a line of text and a code.
enum class ExitCode : int {
  Ok = 0,
  Mismatch = 1,  ///< a result differs, or an injected error went undetected
  Usage = 2,
  BadData = 3,
  Timeout = 4,
  Protocol = 5,
  NotConverged = 6,
  Lost = 7,           ///< a part of the machine was lost while programs ran
  Interrupted = 130,  ///< ended in order from outside: 128 + SIGINT, as shells have it
};

/// Base of all errors that are reported as one clear line. `what()` names the thing and the remedy.
class Error : public std::runtime_error {
 public:
  Error(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode exit_code() const { return code_; }

 private:
  ExitCode code_;
};

/// An answer differs from its reference, or an error was delivered undetected.
class MismatchError : public Error {
 public:
  explicit MismatchError(const std::string& m) : Error(ExitCode::Mismatch, m) {}
};

/// An option or argument is wrong: unknown, out of range, or at odds with another.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& m) : Error(ExitCode::Usage, m) {}
};

/// A file or other input is missing, truncated, corrupted or of the wrong size.
class DataError : public Error {
 public:
  explicit DataError(const std::string& m) : Error(ExitCode::BadData, m) {}
};

/// No progress any more; the message lists what each node waits for.
class TimeoutError : public Error {
 public:
  explicit TimeoutError(const std::string& m) : Error(ExitCode::Timeout, m) {}
};

/// The machine, or a program on it, broke the rules of its interface.
class ProtocolError : public Error {
 public:
  explicit ProtocolError(const std::string& m) : Error(ExitCode::Protocol, m) {}
};

/// The hardware reported an error: a bus access was refused, a sticky error bit is set.
class HardwareError : public ProtocolError {
 public:
  using ProtocolError::ProtocolError;
};

/// Another node of the partition failed and killed the others.
class KilledError : public ProtocolError {
 public:
  using ProtocolError::ProtocolError;
};

/// A solver used up its iterations.
class NotConvergedError : public Error {
 public:
  explicit NotConvergedError(const std::string& m) : Error(ExitCode::NotConverged, m) {}
};

}  // namespace ht
