// SPDX-License-Identifier: Apache-2.0
#include "sim/kernel/clock.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::sim {

void Clock::check() const {
  if (period <= 0) throw UsageError(fmt::format("clock period {} ps: must be positive", period));
  if (phase < 0 || phase >= period) {
    throw UsageError(fmt::format("clock phase {} ps: must be from 0 to {} ps", phase, period - 1));
  }
}

}  // namespace ht::sim
