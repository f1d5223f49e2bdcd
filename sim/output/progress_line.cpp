// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sim/output/exit_codes.hpp"
#include "sim/output/progress_line.hpp"
#include "sw/dirac/job.hpp"

namespace ht::cli {
namespace {

double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

// "1 h 02 min", "3 min 20 s", "12 s"
std::string duration_text(double s) {
  const auto whole = static_cast<long>(s + 0.5);
  if (whole >= 3600) return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
  if (whole >= 60) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} s", whole);
}

// ", about 12 s left", or nothing: a target that |r|^2 cannot reach, below all numbers, is
// infinitely far away.
std::string left_text(double s) {
  constexpr double century = 3.2e9;
  return std::isfinite(s) && s < century ? fmt::format(", about {} left", duration_text(s)) : "";
}

}  // namespace

ProgressLine::ProgressLine(bool quiet, const std::atomic<bool>* stop)
    : quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) != 0),
      stop_(stop),
      last_shown_(seconds() - 5) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::check_stop() const {
  if (stop_ != nullptr) cli::check_stop(*stop_);
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (terminal_ && width_ > 0) fmt::print(stderr, "\r{:{}}\r", "", width_);
  width_ = 0;
}

void ProgressLine::stage(const std::string& what) {
  check_stop();
  const std::lock_guard lock(mutex_);
  stage_ = what;
  solver_.clear();
  simulated_ = 0;
  stage_begin_ = seconds();
  column_ = done_before_ = last_iteration_ = 0;
  first_iteration_ = -1;
  show(terminal_);
}

void ProgressLine::solver(const dirac::Progress& p) {
  const std::lock_guard lock(mutex_);
  solver_ = fmt::format(", column {}, iteration {}, |r|^2 {:.2e} of {:.2e}", p.column, p.iteration,
                        p.residual_norm2, p.target_norm2);
  if (p.column != column_) {
    done_before_ += last_iteration_;
    column_ = p.column;
    first_norm2_ = 0;
  }
  if (!(first_norm2_ > 0)) {
    first_norm2_ = p.residual_norm2;
    column_first_ = p.iteration;
  }
  last_iteration_ = p.iteration;
  const int done = done_before_ + p.iteration;
  // The first iteration carries the set-up before it: rates count from its end.
  if (first_iteration_ < 0) {
    first_iteration_ = done;
    stage_begin_ = seconds();
  }
  const double elapsed = seconds() - stage_begin_;
  if (done > first_iteration_ && elapsed > 0) {
    const double rate = (done - first_iteration_) / elapsed;
    solver_ += fmt::format(", {:.3g} iterations/s", rate);
    const double fallen = std::log(first_norm2_ / p.residual_norm2);
    const double to_fall = std::log(p.residual_norm2 / p.target_norm2);
    if (fallen > 0 && p.iteration > column_first_) {
      const double here = std::max(0.0, to_fall) * (p.iteration - column_first_) / fallen;
      // Columns to come take as long as those done, or as this one will.
      const double each =
          column_ > 0 ? static_cast<double>(done_before_) / column_ : p.iteration + here;
      const double left = here + each * std::max(0, columns_ - 1 - column_);
      solver_ += left_text(left / rate);
    }
  }
  show(false);
}

void ProgressLine::expect_columns(int columns) {
  columns_ = columns;
}

void ProgressLine::time(Picoseconds simulated) {
  check_stop();
  const std::lock_guard lock(mutex_);
  simulated_ = simulated;
  show(false);
}

void ProgressLine::expect_work(double total, const std::string& unit, double before) {
  const std::lock_guard lock(mutex_);
  work_total_ = total;
  work_unit_ = unit;
  work_before_ = before;
  work_begin_ = seconds();
}

void ProgressLine::work(double done) {
  check_stop();
  const std::lock_guard lock(mutex_);
  const double elapsed = seconds() - work_begin_;
  if (done > work_before_ && elapsed > 0.2 && work_total_ > 0) {
    const double rate = (done - work_before_) / elapsed;
    const double left = std::max(0.0, work_total_ - done) / rate;
    work_ = fmt::format(", {:.0f} %, {:.3g} {}/s{}", std::min(100.0, 100 * done / work_total_),
                        rate, work_unit_, left_text(left));
  }
  show(false);
}

// Ten times a second on a terminal, every ten seconds (five at first) in a log.
void ProgressLine::show(bool force) {
  if (quiet_) return;
  const double now = seconds();
  if (!force && now - last_shown_ < (terminal_ ? 0.1 : 10.0)) return;
  last_shown_ = now;
  std::string line = stage_ + solver_ + work_;
  if (simulated_ > 0)
    line += fmt::format(
        ", {:.1f} us in the machine, {:.3g} us/s", static_cast<double>(simulated_) * 1e-6,
        static_cast<double>(simulated_) * 1e-6 / std::max(1e-3, now - stage_begin_));
  if (terminal_) {
    width_ = std::max(width_, line.size());
    fmt::print(stderr, "\r{:{}}", line, width_);
    std::fflush(stderr);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

}  // namespace ht::cli
