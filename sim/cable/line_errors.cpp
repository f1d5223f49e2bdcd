// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/line_errors.hpp"

#include <stdexcept>

namespace ht::sim {

LineErrors::LineErrors(const Clock& sender, const FaultSchedule& schedule, std::size_t patterns,
                       ErrorLedger& ledger)
    : sender_(sender),
      schedule_(schedule),
      ledger_(ledger),
      outages_(schedule.outage_count(), kNone),
      patterns_(patterns, kNone) {}

std::size_t LineErrors::inject(ErrorKind kind, std::int64_t slot, int lane, unsigned bit) {
  InjectedError e;
  e.kind = kind;
  e.time = sender_.edge(slot);
  e.symbol = slot;
  e.lane = lane;
  e.bit = bit;
  return ledger_.inject(e);
}

std::size_t LineErrors::slip(std::int64_t slot, bool doubled) {
  return inject(doubled ? ErrorKind::Doubled : ErrorKind::Lost, slot);
}

std::size_t LineErrors::forced(std::int64_t slot, std::size_t pattern) {
  std::size_t& number = patterns_[pattern];
  if (number == kNone) number = inject(ErrorKind::Forced, slot);
  return number;
}

std::size_t LineErrors::flip(const FaultSchedule::Flip& f) {
  const int lane = static_cast<int>(f.lane);
  if (f.source < 0) return inject(ErrorKind::Bit, f.slot, lane, f.bit);
  const auto source = static_cast<std::size_t>(f.source);
  if (sources_.size() <= source) sources_.resize(source + 1, kNone);
  if (sources_[source] == kNone)
    sources_[source] = inject(schedule_.kind_of(f.source), f.slot, lane, f.bit);
  return sources_[source];
}

std::size_t LineErrors::outage(std::int64_t slot, std::size_t number) {
  const FaultSchedule::Outage& o = schedule_.outage(number);
  if (outages_[number] == kNone)
    outages_[number] = inject(o.fault.kind, slot, o.pulled ? -1 : static_cast<int>(o.fault.lane));
  return outages_[number];
}

void LineErrors::activate(std::size_t number, std::uint32_t lanes) {
  for (Active& a : active_) {
    if (a.number == number) {
      a.lanes |= lanes;
      return;
    }
  }
  active_.push_back({number, lanes});
}

void LineErrors::keep(std::uint32_t lanes) {
  for (Active& a : active_) a.lanes &= lanes;
  std::erase_if(active_, [](const Active& a) { return a.lanes == 0; });
}

void LineErrors::changed(std::uint32_t lanes, std::int64_t edge, Part part) {
  std::uint32_t explained = 0;
  for (const Active& a : active_) {
    if ((a.lanes & lanes) != 0) ledger_.changed(a.number, edge, part);
    explained |= a.lanes;
  }
  if ((lanes & ~explained) != 0)
    throw std::logic_error("cable: a symbol changed for which no injected error answers");
}

}  // namespace ht::sim
