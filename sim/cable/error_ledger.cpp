// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/error_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ht::sim {
namespace {

/// After a complaint the rest of its frame may still pass by: complaints within so many edges
/// belong to the same frame.
constexpr std::int64_t kFrameTail = 64;

/// A receiver that finds its bytes by their boundary does not see a whole byte more or less.
constexpr int symbols_of_a_byte = 8;

bool meet(Part a, Part b) {
  return (static_cast<unsigned>(a) & static_cast<unsigned>(b)) != 0;
}

}  // namespace

const char* name(Fate fate) {
  constexpr std::array<const char*, 4> kNames = {"open", "detected", "harmless", "undetected"};
  return kNames[static_cast<std::size_t>(fate)];
}

ErrorTotals& ErrorTotals::operator+=(const ErrorTotals& other) {
  injected += other.injected;
  detected += other.detected;
  harmless += other.harmless;
  undetected += other.undetected;
  for (std::size_t i = 0; i < kErrorKinds; ++i) {
    injected_of[i] += other.injected_of[i];
    detected_of[i] += other.detected_of[i];
    undetected_of[i] += other.undetected_of[i];
  }
  return *this;
}

std::size_t ErrorLedger::inject(const InjectedError& error) {
  if (closed_) throw std::logic_error(cable_ + ": an error injected after its ledger was closed");
  errors_.push_back(error);
  errors_.back().fate = Fate::Open;
  ++totals_.injected;
  ++totals_.injected_of[static_cast<std::size_t>(error.kind)];
  return errors_.size() - 1;
}

void ErrorLedger::changed(std::size_t number, std::int64_t edge, Part part) {
  effect({number, edge, edge, part});
}

void ErrorLedger::slipped(std::size_t number, std::int64_t before, std::int64_t after) {
  effect({number, before, after});
}

void ErrorLedger::slipped_for_good(std::size_t number, std::int64_t edge, int by) {
  note(number, edge);
  moves_.push_back({edge, by});
  for_good_.push_back({number, edge, edge});
}

void ErrorLedger::effect(const Effect& e) {
  note(e.number, e.after);
  effects_.push_back(e);
}

void ErrorLedger::note(std::size_t number, std::int64_t edge) {
  InjectedError& error = errors_.at(number);
  if (error.last < error.first) error.first = error.last = edge;
  error.first = std::min(error.first, edge);
  error.last = std::max(error.last, edge);
}

void ErrorLedger::set_fate(std::size_t number, Fate fate) {
  InjectedError& error = errors_[number];
  if (error.fate == fate || error.fate == Fate::Undetected) return;
  std::uint64_t& detected_of = totals_.detected_of[static_cast<std::size_t>(error.kind)];
  if (error.fate == Fate::Detected) {
    --totals_.detected;
    --detected_of;
  }
  error.fate = fate;
  totals_.detected += fate == Fate::Detected ? 1 : 0;
  detected_of += fate == Fate::Detected ? 1 : 0;
  totals_.harmless += fate == Fate::Harmless ? 1 : 0;
  if (fate == Fate::Undetected) {
    ++totals_.undetected;
    ++totals_.undetected_of[static_cast<std::size_t>(error.kind)];
  }
}

void ErrorLedger::observe(std::int64_t edge, const Observation& seen) {
  if (edge < seen_) {
    throw std::logic_error(
        fmt::format("{}: observation of edge {} after one of {}", cable_, edge, seen_));
  }
  seen_ = edge;
  if (seen.aligned) {
    std::erase_if(for_good_, [&](const Effect& e) { return e.after <= edge; });
    std::erase_if(moves_, [&](const Move& m) { return m.edge <= edge; });
  }
  if (seen.error) {
    const bool tail = start_ >= 0 && error_ >= start_ && edge - error_ <= kFrameTail;
    complaint(in_frame_ || tail ? start_ : edge, edge, Part::Frame, seen.complaint);
    // Nor was the command beside it taken, unless it is said to be good.
    if (!seen.command) complaint(edge, edge, Part::Whole, seen.complaint);
    in_frame_ = false;
    error_ = edge;
  }
  if (seen.command_error) complaint(edge, edge, Part::Command, seen.complaint);
  if (seen.start) {
    start_ = edge;
    in_frame_ = true;
  }
  if (seen.command) acceptance(edge, edge, Part::Command);
  if (seen.ok) acceptance(start_ < 0 ? edge : start_, edge, Part::Frame);
  if (seen.command || seen.ok) {
    start_ = -1;
    in_frame_ = false;
  }
  // What lies before the present frame, and before the tail of one given up, can matter no more.
  const std::int64_t horizon = start_ < 0 ? edge - kFrameTail : std::min(start_, edge - kFrameTail);
  while (!effects_.empty() && effects_.front().after < horizon) effects_.pop_front();
}

void ErrorLedger::complaint(std::int64_t from, std::int64_t to, Part part, Complaint what) {
  // An inserted or lost word shows at the word after it.
  const auto cover = [&](const Effect& e, bool hit) {
    if (hit) {
      InjectedError& error = errors_[e.number];
      if (error.complaint == Complaint::None) error.complaint = what;
      // Complaints are in order: the one that made it detected is the first.
      if (error.fate == Fate::Open)
        error.complaint_after = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
            to - error.first, 0, std::numeric_limits<std::uint32_t>::max()));
      set_fate(e.number, Fate::Detected);
    }
    return hit;
  };
  std::erase_if(effects_, [&](const Effect& e) {
    return cover(e, from <= e.after && e.after <= to && meet(e.part, part));
  });
  std::erase_if(for_good_, [&](const Effect& e) { return cover(e, e.after <= to); });
}

void ErrorLedger::acceptance(std::int64_t from, std::int64_t to, Part part) {
  // The frame must hold the place itself, with words of its own on both sides.
  std::erase_if(effects_, [&](const Effect& e) {
    const bool hit = from <= e.before && e.after <= to && meet(e.part, part);
    if (hit) set_fate(e.number, Fate::Undetected);
    return hit;
  });
  if (for_good_.empty()) return;
  // A frame behind slips that make up for each other is read where it was sent.
  int moved = 0;
  for (const Move& m : moves_) moved += m.edge < from ? m.by : 0;
  std::erase_if(for_good_, [&](const Effect& e) {
    if (e.after > to) return false;
    if (moved % symbols_of_a_byte != 0 || e.after >= from) set_fate(e.number, Fate::Undetected);
    return true;
  });
}

void ErrorLedger::close() {
  closed_ = true;
  effects_.clear();
  for_good_.clear();
  for (std::size_t i = 0; i < errors_.size(); ++i) {
    if (errors_[i].fate == Fate::Open) set_fate(i, Fate::Harmless);
  }
}

ErrorTotals ErrorLedger::totals() const {
  if (!closed_) throw std::logic_error(cable_ + ": totals of a ledger that was not closed");
  return totals_;
}

void ErrorLedger::dump(std::ostream& out) const {
  for (const InjectedError& e : errors_) {
    out << fmt::format("{}: {} at {} ps, symbol {}, lane {}, bit {}: {}\n", cable_, name(e.kind),
                       e.time, e.symbol, e.lane, e.bit, name(e.fate));
  }
}

}  // namespace ht::sim
