// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <vector>

#include "sim/machine/machine.hpp"

namespace ht::cli {

/// What nodes write to their serial ports, printed while they run by the process that reports: the
/// lines of all processes, in one order.
class ConsoleNews {
 public:
  /// Of the machine's kernel, from now on; both must outlive its runs. `before` is called before
  /// lines are printed.
  ConsoleNews(machine::Machine& machine, std::function<void()> before);

  /// What is left when nodes run no more, lines without an end, too; in every process.
  void finish();

 private:
  void take(bool all);
  void print();

  machine::Machine& machine_;
  std::function<void()> before_;
  std::vector<machine::ConsoleLine> lines_;  ///< taken, and not yet printed
};

}  // namespace ht::cli
