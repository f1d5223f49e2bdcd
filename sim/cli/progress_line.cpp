// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>

#include "sim/cli/report.hpp"

namespace ht::cli {
namespace {

double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

}  // namespace

ProgressLine::ProgressLine(bool quiet)
    : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0), last_shown_(seconds()) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (terminal_ && width_ > 0) fmt::print(stderr, "\r{:{}}\r", "", width_);
  width_ = 0;
}

void ProgressLine::stage(const std::string& what) {
  const std::lock_guard lock(mutex_);
  stage_ = what;
  solver_.clear();
  simulated_ = 0;
  show(terminal_);
}

void ProgressLine::solver(const dirac::Progress& p) {
  const std::lock_guard lock(mutex_);
  solver_ = fmt::format(", column {}, iteration {}, |r|^2 {:.2e} of {:.2e}", p.column, p.iteration,
                        p.residual_norm2, p.target_norm2);
  show(false);
}

void ProgressLine::time(Picoseconds simulated) {
  const std::lock_guard lock(mutex_);
  simulated_ = simulated;
  show(false);
}

// Ten times a second on a terminal, every ten seconds in a log.
void ProgressLine::show(bool force) {
  if (quiet_) return;
  const double now = seconds();
  if (!force && now - last_shown_ < (terminal_ ? 0.1 : 10.0)) return;
  last_shown_ = now;
  std::string line = stage_ + solver_;
  if (simulated_ > 0)
    line += fmt::format(", {:.1f} us in the machine", static_cast<double>(simulated_) * 1e-6);
  if (terminal_) {
    width_ = std::max(width_, line.size());
    fmt::print(stderr, "\r{:{}}", line, width_);
    std::fflush(stderr);
  } else {
    fmt::print(stderr, "{}\n", line);
  }
}

}  // namespace ht::cli
