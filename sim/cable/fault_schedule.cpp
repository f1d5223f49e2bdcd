// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/fault_schedule.hpp"

#include <algorithm>

namespace ht::sim {
namespace {

/// A coded bit and a time beyond any run: edges until then have times that fit.
constexpr std::int64_t kFarBit = std::int64_t{1} << 52;
constexpr Picoseconds kFarTime = kNever / 2;

}  // namespace

FaultSchedule::FaultSchedule(const FaultPlan& plan, const Line& line)
    : line_(line),
      random_(line.seed, line.cable),
      rate_(plan.bit_error_rate),
      aimed_(plan.aimed),
      waits_until_(plan.waits_until == kNever ? kNoSlot
                                              : line.sender.first_edge(plan.waits_until)) {
  const std::int64_t symbol_bits = std::int64_t{line.lanes} * line.group_bits;
  const auto first_bit = [&](Picoseconds t) {
    const std::int64_t slot = line.sender.first_edge(std::min(t, kFarTime));
    return std::min(slot, kFarBit / symbol_bits) * symbol_bits;
  };
  bit_position_ = first_bit(plan.bit_errors_from) - 1;
  bit_end_ = first_bit(plan.bit_errors_until);
  const auto slot = [&](Picoseconds t) { return line.sender.first_edge(t); };
  unsigned number = 0;
  for (const auto& b : plan.bursts) add_burst(b, 0, number++);
  for (const bool doubled : {false, true}) {
    for (const auto& s : doubled ? plan.doubled : plan.lost) {
      (s.busy ? busy_slips_ : slips_).push_back({slot(s.time), s.busy, doubled});
    }
  }
  for (const auto& f : plan.lane_faults) {
    outages_.push_back({slot(f.from), slot(f.until), f, false});
  }
  for (const auto& p : plan.pulls) {
    // Lost: what would arrive at `from` or later, and what is sent before `until`.
    const ErrorKind kind = p.silent ? ErrorKind::Silent : ErrorKind::Pulled;
    outages_.push_back({slot(p.from - line.delay), slot(p.until), {.kind = kind}, true});
  }
  draw_all(plan.drawn);
  first_aimed_ = static_cast<int>(plan.bursts.size() + plan.drawn.bursts);
  first_forced_ = first_aimed_ + static_cast<int>(plan.aimed.size());
  for (std::size_t i = 0; i < aimed_.size(); ++i) aims_.push_back({slot(aimed_[i].time), i});
  const auto by_slot = [](const auto& a, const auto& b) { return a.slot < b.slot; };
  std::stable_sort(flips_.begin(), flips_.end(), by_slot);
  std::stable_sort(slips_.begin(), slips_.end(), by_slot);
  std::stable_sort(busy_slips_.begin(), busy_slips_.end(), by_slot);
  std::stable_sort(outages_.begin(), outages_.end(),
                   [](const Outage& a, const Outage& b) { return a.from < b.from; });
  if (rate_ > 0) next_bit_error();
}

void FaultSchedule::add_burst(const FaultPlan::Burst& burst, unsigned first_bit, unsigned number) {
  const std::int64_t slot = line_.sender.first_edge(burst.time);
  const unsigned first_lane = burst.lane.value_or(0);
  const unsigned last_lane = burst.lane.value_or(line_.lanes - 1);
  for (unsigned lane = first_lane; lane <= last_lane; ++lane) {
    std::uint64_t pattern = 0;
    for (unsigned i = 0; i < burst.length; ++i) {
      if (i % 64 == 0) {
        // Enough numbers for the longest burst on every lane.
        const std::uint64_t at = (std::uint64_t{number} * line_.lanes + lane) << 16;
        pattern = random_.draw(FaultRandom::BurstPattern, at + i / 64);
      }
      const bool edge = i == 0 || i + 1 == burst.length;
      if (!edge && ((pattern >> (i % 64)) & 1U) == 0) continue;
      const unsigned bit = first_bit + i;
      flips_.push_back(
          {slot + bit / line_.group_bits, lane, bit % line_.group_bits, static_cast<int>(number)});
    }
  }
}

void FaultSchedule::draw_all(const FaultPlan::Drawn& drawn) {
  const auto time = [&](FaultRandom::Stream stream, std::uint64_t number) {
    const auto span = static_cast<std::uint64_t>(drawn.until - drawn.from);
    return drawn.from + static_cast<Picoseconds>(random_.below(stream, number, span));
  };
  // Sources of drawn bursts are numbered after the explicit ones.
  unsigned source = 0;
  for (const Flip& f : flips_) source = std::max(source, static_cast<unsigned>(f.source) + 1);
  for (unsigned i = 0; i < drawn.bursts; ++i) {
    const std::uint64_t n = 3 * std::uint64_t{i};
    const auto lane =
        static_cast<unsigned>(random_.below(FaultRandom::BurstPlace, n + 1, line_.lanes));
    const auto bit =
        static_cast<unsigned>(random_.below(FaultRandom::BurstPlace, n + 2, line_.group_bits));
    add_burst({time(FaultRandom::BurstPlace, n), drawn.burst_length, lane}, bit, source + i);
  }
  for (const bool doubled : {false, true}) {
    const auto stream = doubled ? FaultRandom::Doubled : FaultRandom::Lost;
    for (unsigned i = 0; i < (doubled ? drawn.doubled : drawn.lost); ++i) {
      busy_slips_.push_back({line_.sender.first_edge(time(stream, i)), true, doubled});
    }
  }
}

void FaultSchedule::next_bit_error() {
  const std::uint64_t u = random_.draw(FaultRandom::BitErrors, bit_number_++);
  bit_position_ += 1 + geometric_gap(u, rate_);
  if (bit_position_ >= bit_end_) {
    bit_error_.slot = kNoSlot;
    return;
  }
  const std::int64_t symbol_bits = std::int64_t{line_.lanes} * line_.group_bits;
  const auto in_symbol = static_cast<unsigned>(bit_position_ % symbol_bits);
  bit_error_ = {bit_position_ / symbol_bits, in_symbol / line_.group_bits,
                in_symbol % line_.group_bits, -1};
}

std::int64_t FaultSchedule::next_slot(std::int64_t slot) const {
  std::int64_t next = bit_error_.slot;
  if (flip_ < flips_.size()) next = std::min(next, flips_[flip_].slot);
  if (slip_ < slips_.size()) next = std::min(next, slips_[slip_].slot);
  for (const Outage& o : outages_) {
    if (o.from >= next) break;
    if (o.until > slot && o.until > o.from) next = std::min(next, std::max(o.from, slot));
  }
  return next;
}

void FaultSchedule::hit(std::size_t i, std::int64_t slot) {
  const FaultPlan::Aimed& aimed = aimed_[aims_[i].number];
  const int source = first_aimed_ + static_cast<int>(aims_[i].number);
  for (const auto& b : aimed.bits) insert({slot + aimed.after, b.lane, b.bit, source});
  aims_.erase(aims_.begin() + static_cast<std::ptrdiff_t>(i));
}

void FaultSchedule::force(std::size_t i, const std::vector<std::int64_t>& slots) {
  for (const std::int64_t slot : slots) insert({slot, 0, 0, first_forced_ + static_cast<int>(i)});
}

void FaultSchedule::insert(const Flip& flip) {
  const auto at =
      std::upper_bound(flips_.begin() + static_cast<std::ptrdiff_t>(flip_), flips_.end(), flip.slot,
                       [](std::int64_t s, const Flip& f) { return s < f.slot; });
  flips_.insert(at, flip);
}

std::int64_t FaultSchedule::next_busy_slip() const {
  return busy_slip_ < busy_slips_.size() ? busy_slips_[busy_slip_].slot : kNoSlot;
}

void FaultSchedule::take_flips(std::int64_t slot, std::vector<Flip>& out) {
  for (; bit_error_.slot <= slot; next_bit_error()) out.push_back(bit_error_);
  for (; flip_ < flips_.size() && flips_[flip_].slot <= slot; ++flip_) out.push_back(flips_[flip_]);
}

void FaultSchedule::take_slips(std::int64_t slot, bool busy, std::vector<Slip>& out) {
  for (; slip_ < slips_.size() && slips_[slip_].slot <= slot; ++slip_) out.push_back(slips_[slip_]);
  // One busy symbol satisfies one slip: two of them would be lost and doubled at once.
  if (busy && next_busy_slip() <= slot && slot < waits_until_ && out.empty())
    out.push_back(busy_slips_[busy_slip_++]);
}

void FaultSchedule::outages_at(std::int64_t slot, std::vector<std::size_t>& out) const {
  for (std::size_t i = 0; i < outages_.size() && outages_[i].from <= slot; ++i) {
    if (slot < outages_[i].until) out.push_back(i);
  }
}

}  // namespace ht::sim
