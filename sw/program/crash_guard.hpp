// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <csignal>
#include <cstddef>
#include <functional>

namespace ht::host {
class Fibre;
}

namespace ht::program {

class LoadedProgram;

/// While it lives, a signal that a program raises by a mistake of its own (SIGSEGV and the like)
/// ends that program and not the simulator; so does keeping its turn for too long (TurnLimit). One
/// at a time: there is one set of signals.
///
/// If what the program destroyed was the simulator's (it is one process), so that a second crash or
/// half a minute without an end follows the first, one line that names the node is printed and the
/// process ends with exit code 5.
class CrashGuard {
 public:
  /// `program_on` finds the program whose main() runs on a fibre, or null; called in the handler.
  using Finder = std::function<LoadedProgram*(const host::Fibre*)>;
  explicit CrashGuard(Finder program_on);
  ~CrashGuard();
  CrashGuard(const CrashGuard&) = delete;
  CrashGuard& operator=(const CrashGuard&) = delete;

  /// A stack for this thread's handlers, because a program's own may be used up. Takes its time
  /// only when a thread has none yet; stays until the thread ends.
  class Stack {
   public:
    Stack();
  };

 private:
  static void handle(int signal, siginfo_t* info, void* context);
  static void look(int signal, siginfo_t* info, void* context);

  static constexpr std::array<int, 5> signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  Finder program_on_;
  std::array<struct sigaction, signals.size()> before_{};
  struct sigaction alarm_before_ {};
  struct sigaction look_before_ {};
};

}  // namespace ht::program
