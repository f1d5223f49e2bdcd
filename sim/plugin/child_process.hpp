// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace ht::machine {

/// Another program that runs beside this one, found by PATH. Its output goes to files; open
/// descriptors that are not close-on-exec are its, too.
class ChildProcess {
 public:
  struct Files {
    std::string output;  ///< appended to
    std::string errors;  ///< appended to; empty: to `output`
  };
  /// Starts it in a process group of its own. Throws DataError if a file cannot be written, or
  /// UsageError if there is no such program.
  ChildProcess(const std::vector<std::string>& words, const Files& files);
  /// Ends it, and waits for that.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  /// Its exit code once it has ended, 128 and the signal's number if a signal ended it.
  std::optional<int> code();
  /// The same, waited for so long.
  std::optional<int> code_within(std::chrono::milliseconds time);
  /// Asks all of its group to end.
  void terminate();

 private:
  pid_t pid_;
  std::optional<int> code_;
};

}  // namespace ht::machine
