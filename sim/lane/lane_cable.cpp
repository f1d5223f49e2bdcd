// SPDX-License-Identifier: Apache-2.0
#include "sim/lane/lane_cable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "sw/host/errors.hpp"

namespace ht::sim::lanes {
namespace {

/// Lanes that differ by more are not brought back beside one another (rtl/lane/README.md).
constexpr std::int64_t kMostSkew = 13;
/// Words that may pass through a bundle and its buffers until one has reached the link; and until
/// an error shows as a wrong disparity: at the next set at the latest.
constexpr std::int64_t kLatency = 64, kShows = 700;
/// Words until lanes that lost each other are in step again, on both sides.
constexpr std::int64_t kTrains = 4000;
constexpr unsigned kCharacterBits = 10;

Clock word_clock(const CableOptions& o, const LaneOptions& lanes) {
  Clock clock = o.sender;
  clock.period *= lanes.every;
  clock.off_fs *= lanes.every;
  return clock;
}

const CableOptions& checked(const CableOptions& o, const LaneOptions& lanes) {
  o.sender.check();
  o.receiver.check();
  const auto refuse = [&](const std::string& what) {
    throw UsageError(fmt::format("cable {}: {}", o.name, what));
  };
  const Picoseconds shortest = 2 * o.receiver.longest_cycle();
  if (o.delay < shortest)
    refuse(
        fmt::format("a delay of {} ps; it must be at least two cycles, {} ps", o.delay, shortest));
  if (lanes.every < 1) refuse("less than a cycle for a word");
  const Picoseconds word = word_clock(o, lanes).period;
  if (lanes.skew < 0 || lanes.jitter < 0 || lanes.drift < 0 || lanes.drift_period <= 0)
    refuse("lanes with a negative skew, jitter or drift");
  // A lane by itself may be as long as it likes, but for who counts on an answer.
  const Picoseconds apart = (lanes.shape.lanes > 1 ? lanes.skew : 0) + lanes.jitter + lanes.drift;
  if (apart > kMostSkew * word)
    refuse(
        fmt::format("skew, jitter and drift of lanes of {}, {} and {} ps: receivers make up for "
                    "{} words, {} ps, in all",
                    lanes.skew, lanes.jitter, lanes.drift, kMostSkew, kMostSkew * word));
  if (!o.faults.forced.empty() || !o.faults.aimed.empty())
    refuse("errors that look for packets are not injected behind lanes");
  o.faults.check(lanes.shape.lanes, kCharacterBits * lanes.shape.bytes / lanes.shape.lanes, o.name);
  return o;
}

}  // namespace

LaneCable::LaneCable(CableOptions options, const LaneOptions& lanes)
    : options_(checked(options, lanes)),
      lanes_(lanes),
      words_(word_clock(options_, lanes)),
      width_(kCharacterBits * lanes.shape.bytes / lanes.shape.lanes),
      idle_(idle_word(lanes.shape.bytes)),
      ledger_(options_.name),
      account_(ledger_, idle_, lanes.parts),
      schedule_(options_.faults, {lanes.shape.lanes, width_, words_, options_.delay, options_.seed,
                                  options_.number}),
      errors_(words_, schedule_, 0, ledger_),
      random_(options_.seed, options_.number),
      lines_(lanes.shape.lanes) {
  static_assert(std::is_trivially_copyable_v<Sent>);
  const auto drawn = [&](FaultRandom::Stream stream, unsigned lane, Picoseconds most) {
    return static_cast<Picoseconds>(
        random_.below(stream, lane, static_cast<std::uint64_t>(most) + 1));
  };
  for (unsigned lane = 0; lane < lanes.shape.lanes; ++lane) {
    lines_[lane].delay = drawn(FaultRandom::LaneSkew, lane, lanes.skew);
    lines_[lane].phase = drawn(FaultRandom::LaneDrift, lane, lanes.drift_period - 1);
  }
  cut_anywhere();
}

// Receivers begin their words at any bit: as if some bits had come before the first.
void LaneCable::cut_anywhere() {
  for (unsigned lane = 0; lane < lines_.size(); ++lane) {
    const std::uint64_t number = cuts_ * lines_.size() + lane;
    lines_[lane].bits = {};
    lines_[lane].count =
        static_cast<unsigned>(random_.below(FaultRandom::LaneOffset, number, width_));
  }
  ++cuts_;
}

void LaneCable::send(std::int64_t number, Picoseconds now, const Word& word, const Bits& bits) {
  sent_.push_back({number, now, word, bits});
  if (word == idle_ || word == sent_last_) return;
  sent_last_ = word;
  ++sent_count_;
}

const LaneCable::Arrival* LaneCable::arrived(unsigned lane, Picoseconds now) const {
  const auto& arrivals = lines_[lane].arrivals;
  return arrivals.empty() || arrivals.front().time > now ? nullptr : &arrivals.front();
}

bool LaneCable::signal(Picoseconds now) {
  for (; !changes_.empty() && changes_.front().time <= now; changes_.pop_front())
    signal_ = changes_.front().signal;
  return signal_;
}

Picoseconds LaneCable::next_arrival() const {
  Picoseconds next = kNever;
  for (const Line& line : lines_) {
    if (!line.arrivals.empty()) next = std::min(next, line.arrivals.front().time);
  }
  return next;
}

std::size_t LaneCable::in_flight() const {
  return busy_ > 0 && busy_ + options_.delay + lanes_.skew + kLatency * words_.period > carried_
             ? 1
             : 0;
}

void LaneCable::transfer(Picoseconds end) {
  for (const Sent& sent : sent_) carry(sent);
  sent_.clear();
  carried_ = end;
}

void LaneCable::carry(const Sent& sent) {
  const Picoseconds now = sent.time;
  const Picoseconds word = words_.period;
  account_.sent(sent.word);
  if (tap_ != nullptr && sent.word != idle_) tap_->sent(sent.number, now, sent.word);
  if (sent.word != idle_ && sent.word != carried_last_) {
    carried_last_ = sent.word;
    busy_ = now;
  }
  begin_outages(sent);
  flips_.clear();
  slips_.clear();
  schedule_.take_flips(sent.number, flips_);
  schedule_.take_slips(sent.number, plugged_ && sent.word != idle_, slips_);
  if (!plugged_) return;
  const auto note = [&](std::size_t number, std::int64_t words) {
    const Picoseconds there = now + options_.delay;
    account_.injected(number, there, there + lanes_.skew + words * word);
  };
  Bits bits = sent.bits;
  if (!outages_.empty()) damage_lanes(bits);
  for (const FaultSchedule::Flip& f : flips_) {
    const unsigned at = f.lane * width_ + f.bit;
    set_bit(bits, at, !bit_of(bits, at));
    note(errors_.flip(f), kShows);
  }
  unsigned times = 1;
  if (!slips_.empty()) {
    note(errors_.slip(sent.number, slips_[0].doubled), kTrains);
    times = slips_[0].doubled ? 2 : 0;
  }
  for (; times > 0; --times) {
    for (unsigned lane = 0; lane < lines_.size(); ++lane) put(lane, bits, now);
  }
}

void LaneCable::begin_outages(const Sent& sent) {
  const Picoseconds now = sent.time;
  const Picoseconds there = now + options_.delay;
  const Picoseconds trained = there + lanes_.skew + kTrains * words_.period;
  outages_.clear();
  schedule_.outages_at(sent.number, outages_);
  bool pulled = false, silent = true;
  for (const std::size_t i : outages_) {
    const FaultSchedule::Outage& outage = schedule_.outage(i);
    pulled = pulled || outage.pulled;
    if (outage.pulled) silent = silent && outage.fault.kind == ErrorKind::Silent;
  }
  for (const std::size_t i : outages_) {
    if (pulled && !schedule_.outage(i).pulled) continue;  // nothing is stuck on what is not there
    account_.injected(errors_.outage(sent.number, i), there, trained);
  }
  if (pulled) outages_.clear();
  const bool broken = pulled && !silent;
  if (broken != broken_) changes_.push_back({there, !broken});
  if (plugged_ && pulled) cut_anywhere();
  broken_ = broken;
  plugged_ = !pulled;
}

// What the faults of lanes leave of the bits, character by character. The first has the last word.
void LaneCable::damage_lanes(Bits& bits) const {
  std::array<std::uint32_t, 8> groups{};
  for (unsigned first = 0; first < width_; first += kCharacterBits) {
    for (unsigned lane = 0; lane < lines_.size(); ++lane) {
      groups[lane] = 0;
      for (unsigned b = 0; b < kCharacterBits; ++b)
        groups[lane] |= (bit_of(bits, lane * width_ + first + b) ? 1U : 0U) << b;
    }
    for (auto i = outages_.rbegin(); i != outages_.rend(); ++i) {
      const LaneFault& fault = schedule_.outage(*i).fault;
      lane_effect(fault.kind)
          .damage(fault, std::span(groups).first(lines_.size()), (1U << kCharacterBits) - 1);
    }
    for (unsigned lane = 0; lane < lines_.size(); ++lane) {
      for (unsigned b = 0; b < kCharacterBits; ++b)
        set_bit(bits, lane * width_ + first + b, (groups[lane] >> b & 1U) != 0);
    }
  }
}

Picoseconds LaneCable::drift_of(const Line& line, Picoseconds now) const {
  if (lanes_.drift == 0) return 0;
  const Picoseconds half = std::max<Picoseconds>(1, lanes_.drift_period / 2);
  const Picoseconds at = (now + line.phase) % (2 * half);
  return static_cast<Picoseconds>(static_cast<__int128>(lanes_.drift) *
                                  (at < half ? at : 2 * half - at) / half);
}

// A word of the sender's on one lane. When the receiver has a whole one of its own, its clock has
// an edge.
void LaneCable::put(unsigned lane, const Bits& bits, Picoseconds now) {
  Line& line = lines_[lane];
  const Picoseconds word = words_.period;
  for (unsigned b = 0; b < width_; ++b) {
    set_bit(line.bits, line.count, bit_of(bits, lane * width_ + b));
    if (++line.count < width_) continue;
    Picoseconds time =
        now + options_.delay + line.delay + drift_of(line, now) + word * (b + 1) / width_;
    if (lanes_.jitter > 0) {
      const std::uint64_t number = line.words * lines_.size() + lane;
      time += static_cast<Picoseconds>(random_.below(
          FaultRandom::LaneJitter, number, static_cast<std::uint64_t>(lanes_.jitter) + 1));
    }
    // A clock does not turn round, and has no edges at once.
    time = std::max(time, line.last + word / 4);
    line.last = time;
    ++line.words;
    line.arrivals.push_back({time, line.bits});
    line.count = 0;
    line.bits = {};
  }
}

std::vector<std::byte> LaneCable::take_sent() {
  std::vector<std::byte> bytes(sent_.size() * sizeof(Sent));
  if (!bytes.empty()) std::memcpy(bytes.data(), sent_.data(), bytes.size());
  sent_.clear();
  return bytes;
}

void LaneCable::put_sent(std::span<const std::byte> bytes) {
  if (bytes.size() % sizeof(Sent) != 0)
    throw std::logic_error(fmt::format("cable {}: {} bytes are no whole number of words",
                                       options_.name, bytes.size()));
  sent_.resize(bytes.size() / sizeof(Sent));
  if (!bytes.empty()) std::memcpy(sent_.data(), bytes.data(), bytes.size());
}

}  // namespace ht::sim::lanes
