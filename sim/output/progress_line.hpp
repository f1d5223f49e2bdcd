// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>

#include "sw/host/time.hpp"

namespace ht::dirac {
struct Progress;
}

namespace ht::cli {

/// One line on stderr that is overwritten where stderr is a terminal; elsewhere a plain line now
/// and then. Safe to call from any thread.
class ProgressLine {
 public:
  /// With `stop`, whoever shows progress is interrupted once that is set: time(), work() and
  /// stage() throw InterruptedError.
  explicit ProgressLine(bool quiet, const std::atomic<bool>* stop = nullptr);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// What runs now, as in "functional reference". Rate and time left are counted from here.
  void stage(const std::string& what);
  /// Time left is guessed from how fast |r|^2 falls towards its target, and from the columns done.
  void solver(const dirac::Progress& progress);
  /// So many columns will be solved in each stage.
  void expect_columns(int columns);
  void time(Picoseconds simulated);
  /// From here on the command does `total` of `unit` ("s", "node-ms"), over all its stages.
  /// `before` of it was done then, and says nothing of the rate.
  void expect_work(double total, const std::string& unit, double before = 0);
  /// So many of them are done: shows the share, the rate and the time left.
  void work(double done);
  /// Takes the line off the terminal, before results are printed.
  void clear();

 private:
  void show(bool force);
  void check_stop() const;

  bool quiet_, terminal_;
  const std::atomic<bool>* stop_;
  std::mutex mutex_;
  int columns_ = 1;
  std::string stage_, solver_, work_;
  double stage_begin_ = 0;            ///< when it began, or its first iteration was done
  int column_ = 0, done_before_ = 0;  ///< column being solved, iterations of those before
  int last_iteration_ = 0, first_iteration_ = -1;
  double first_norm2_ = 0;  ///< |r|^2 at the first iteration seen of the column, and its number
  int column_first_ = 0;
  Picoseconds simulated_ = 0;
  double work_total_ = 0, work_begin_ = 0, work_before_ = 0;
  std::string work_unit_;
  double last_shown_ = 0;
  std::size_t width_ = 0;
};

}  // namespace ht::cli
