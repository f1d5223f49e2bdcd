// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <memory>
#include <mutex>

#include "sim/cli/run_result.hpp"

namespace ht::cli {

/// Prints what is known before the run: machine, cables, field, operator, source.
void print_setup(const RunOptions& options, const dirac::JobSpec& spec);

/// Prints the results: field, residuals, correlator, time split, links, errors, verdict.
void print_result(const RunResult& result);

/// One line on stderr that is overwritten where stderr is a terminal; elsewhere a plain line now
/// and then. Safe to call from any thread.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  /// What runs now, as in "functional reference".
  void stage(const std::string& what);
  void solver(const dirac::Progress& progress);
  void time(Picoseconds simulated);
  /// Takes the line off the terminal, before results are printed.
  void clear();

 private:
  void show(bool force);

  bool quiet_, terminal_;
  std::mutex mutex_;
  std::string stage_, solver_;
  Picoseconds simulated_ = 0;
  double last_shown_ = 0;
  std::size_t width_ = 0;
};

}  // namespace ht::cli
