// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/clock.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::sim {
namespace {

constexpr std::int64_t least_refused_ppb = 10'000'000;

}  // namespace

Clock Clock::slower_by(std::int64_t ppb) const {
  if (ppb <= -least_refused_ppb || ppb >= least_refused_ppb)
    throw UsageError(fmt::format("a clock that is off by {} ppb: must be less than 1 %", ppb));
  constexpr std::int64_t unit = 1'000'000;  // ps times parts per billion in a femtosecond
  const std::int64_t off = period * ppb;
  Clock c = *this;
  c.off_fs = (off + (off < 0 ? -unit / 2 : unit / 2)) / unit;
  c.check();
  return c;
}

void Clock::check() const {
  if (period <= 0) throw UsageError(fmt::format("clock period {} ps: must be positive", period));
  if (phase < 0 || phase >= period) {
    throw UsageError(fmt::format("clock phase {} ps: must be from 0 to {} ps", phase, period - 1));
  }
  if (off_fs / 10 <= -period || off_fs / 10 >= period)
    throw UsageError(
        fmt::format("clock period {} ps and {} fs: must be off by less than 1 %", period, off_fs));
}

}  // namespace ht::sim
