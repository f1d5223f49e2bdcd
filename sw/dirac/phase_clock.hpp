// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <exception>

#include "sw/dirac/work_meter.hpp"
#include "sw/qmp/qmp.h"

namespace ht::dirac {

/// Splits a node's simulated time by what it was spent on.
class PhaseClock {
 public:
  explicit PhaseClock(WorkMeter& meter) : meter_(meter), since_(QMP_time()) {}

  WorkMeter& meter() { return meter_; }

  /// From now on time counts as `phase`.
  void enter(Phase phase) {
    const double now = QMP_time();
    spent_[static_cast<std::size_t>(phase_)] += now - since_;
    if (now > since_) meter_.phase(phase_, since_, now);
    since_ = now;
    phase_ = phase;
  }

  /// Seconds spent by phase up to the last enter().
  const std::array<double, kPhases>& spent() const { return spent_; }

 private:
  WorkMeter& meter_;
  Phase phase_ = Phase::Compute;
  double since_;
  std::array<double, kPhases> spent_{};
};

/// Counts the time of a scope as a phase, then as computing again. Asking the time may let other
/// nodes run, and a program that is thrown away meanwhile leaves from there: with an exception.
class PhaseScope {
 public:
  PhaseScope(PhaseClock& clock, Phase phase) : clock_(clock) { clock_.enter(phase); }
  ~PhaseScope() noexcept(false) {
    if (std::uncaught_exceptions() == entered_with_) clock_.enter(Phase::Compute);
  }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;

 private:
  PhaseClock& clock_;
  int entered_with_ = std::uncaught_exceptions();
};

}  // namespace ht::dirac
