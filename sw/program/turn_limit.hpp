// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace ht::program {

/// While one lives on a thread, SIGRTMAX comes now and then while that thread computes, so that its
/// handler (CrashGuard's) can end programs that keep the thread for too long: loops in which
/// nothing gives up the node's turn (compiled with --no-yield, in a shared library, or emptied by
/// the compiler). No watchdog of the simulation sees those, since the simulation is stopped
/// meanwhile.
///
/// The time is the thread's own processor time between two switches of fibres: a program that
/// sleeps is not ended.
class TurnLimit {
 public:
  /// `seconds` as the first one of the thread says; 0: no limit. Throws DataError if there is no
  /// timer to be had.
  explicit TurnLimit(double seconds);
  ~TurnLimit();
  TurnLimit(const TurnLimit&) = delete;
  TurnLimit& operator=(const TurnLimit&) = delete;

  static int signal();

  /// In the handler: whether the fibre that was interrupted has kept this thread for too long.
  static bool is_over();
  /// In the handler: asks for another look after 10 ms. False after a hundred times.
  static bool look_again();
};

}  // namespace ht::program
