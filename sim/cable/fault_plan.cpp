// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/fault_plan.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::sim {
namespace {

constexpr unsigned kLongestBurst = 1'000'000;

class Checker {
 public:
  explicit Checker(const std::string& cable) : cable_(cable) {}

  void require(bool good, const std::string& what) const {
    if (!good) throw UsageError(fmt::format("errors on cable {}: {}", cable_, what));
  }
  void span(Picoseconds from, Picoseconds until, const char* what) const {
    require(from >= 0 && until >= from,
            fmt::format("{} from {} ps to {} ps: must not be negative or end before it begins",
                        what, from, until));
  }
  void lane(unsigned lane, unsigned lanes, const char* what) const {
    require(lane < lanes, fmt::format("{} on lane {}: lanes are 0 to {}", what, lane, lanes - 1));
  }
  void burst(unsigned length) const {
    require(length >= 1 && length <= kLongestBurst,
            fmt::format("burst of {} bits: must have 1 to {}", length, kLongestBurst));
  }

 private:
  const std::string& cable_;
};

}  // namespace

bool FaultPlan::empty() const {
  return bit_error_rate == 0 && bursts.empty() && lost.empty() && doubled.empty() &&
         lane_faults.empty() && pulls.empty() && forced.empty() && aimed.empty() &&
         drawn.bursts + drawn.lost + drawn.doubled == 0;
}

void FaultPlan::check(unsigned lanes, unsigned group_bits, const std::string& cable) const {
  const Checker c(cable);
  c.require(bit_error_rate >= 0 && bit_error_rate <= 1,
            fmt::format("bit error rate {}: must be from 0 to 1", bit_error_rate));
  for (const Burst& b : bursts) {
    c.burst(b.length);
    c.span(b.time, b.time, "a burst");
    if (b.lane) c.lane(*b.lane, lanes, "a burst");
  }
  for (const Slip& s : lost) c.span(s.time, s.time, "a lost symbol");
  for (const Slip& s : doubled) c.span(s.time, s.time, "a doubled symbol");
  for (const LaneFault& f : lane_faults) {
    const LaneEffect& effect = lane_effect(f.kind);
    c.lane(f.lane, lanes, effect.what);
    if (effect.two_lanes) {
      c.lane(f.with, lanes, effect.what);
      c.require(f.with != f.lane, fmt::format("{} on lanes {} and {}: they must differ",
                                              effect.what, f.lane, f.with));
    } else {
      c.require(f.with <= 1, fmt::format("{} at {}: must be 0 or 1", effect.what, f.with));
    }
    c.span(f.from, f.until, effect.what);
  }
  for (const Pull& p : pulls) c.span(p.from, p.until, "a pulled cable");
  c.span(bit_errors_from, bit_errors_until, "bit errors");
  for (const Aimed& a : aimed) {
    c.span(a.time, a.time, "an aimed error");
    c.require(!a.bits.empty(), "an aimed error without bits");
    for (const Aimed::Bit& b : a.bits) {
      c.lane(b.lane, lanes, "an aimed error");
      c.require(b.bit < group_bits,
                fmt::format("an aimed error in bit {}: a lane's bits are 0 to {}", b.bit,
                            group_bits - 1));
    }
  }
  for (const Forced& f : forced) c.require(!f.flips.empty(), "a forced pattern without flips");
  if (drawn.bursts + drawn.lost + drawn.doubled > 0) {
    if (drawn.bursts > 0) c.burst(drawn.burst_length);
    c.span(drawn.from, drawn.until, "drawn errors");
    c.require(drawn.until > drawn.from, "drawn errors need a span of time to be drawn from");
  }
}

}  // namespace ht::sim
