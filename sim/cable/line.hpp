// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sim/cable/cable.hpp"
#include "sim/cable/fault_schedule.hpp"
#include "sim/cable/line_errors.hpp"
#include "sim/cable/line_targets.hpp"

namespace ht::sim {

/// The coded line of a cable, with its faults, and the elastic buffer at its end, which makes up
/// for lost and doubled symbols with idle ones. Included only where a Cable is instantiated.
///
/// While the line is clean - nothing scheduled, both ends of one disparity, buffer centred -
/// symbols pass without being coded. Otherwise every slot is coded, damaged and decoded.
template <LineCode Code>
class Cable<Code>::Line {
 public:
  Line(const CableOptions& o, ErrorLedger& ledger)
      : schedule_(o.faults, {Code::kLanes, Code::kGroupBits, o.sender, o.delay, o.seed, o.number}),
        targets_(o.faults),
        errors_(o.sender, schedule_, o.faults.forced.size(), ledger),
        ledger_(ledger),
        offset_(o.receiver.first_edge(o.sender.edge(0) + o.delay)) {}

  /// Carries slots up to, not including, `end`: from `sent`, ordered by slot, to `queue`. `tap` may
  /// be null.
  void transfer(std::int64_t end, const std::vector<Timed>& sent, std::vector<Timed>& queue,
                CableTap<Symbol>* tap) {
    tap_ = tap;
    targets_.look(slot_, end, sent, schedule_);
    std::size_t i = 0;
    while (slot_ < end) {
      if (clean()) {
        const std::int64_t stop = clean_until(end, sent, i);
        for (; i < sent.size() && sent[i].edge < stop; ++i) {
          Code::pass_idle(tx_, sent[i].edge - slot_);
          Code::track(sent[i].symbol, tx_);
          slot_ = sent[i].edge + 1;
          if (tap_ != nullptr) tap_->carried(sent[i].edge, sent[i].symbol, &sent[i].symbol);
          // The line has been constant since the slip, or it would not be clean.
          if (!slipped_.empty()) locate_slips(sent[i].edge + offset_ + shift_);
          push(sent[i].edge + offset_ + shift_, sent[i].symbol, queue);
        }
        Code::pass_idle(tx_, stop - slot_);
        rx_ = tx_;
        slot_ = stop;
        if (slot_ >= end) return;
      }
      const bool here = i < sent.size() && sent[i].edge == slot_;
      carry(here ? sent[i++].symbol : Code::idle(), queue);
      ++slot_;
    }
  }

  /// First slot not yet carried in which a fault could show, if only idle symbols are sent.
  std::int64_t next_fault_slot() const {
    if (tx_ != rx_ || !errors_.none_active()) return slot_;
    return std::min(schedule_.next_slot(slot_), targets_.next_idle_target(slot_, schedule_));
  }

 private:
  static constexpr std::size_t kNone = LineErrors::kNone;
  static constexpr std::uint32_t kAllLanes = (1U << Code::kLanes) - 1;

  struct Waiting {  ///< a lost symbol whose next neighbour has not been received yet
    std::size_t number;
    std::int64_t before;
  };
  struct Slipped {  ///< a slip that nothing makes up for
    std::size_t number;
    std::int64_t back;  ///< it shows so many edges before the first moved bit that differs
    int by;             ///< what follows comes so many symbols later
  };

  bool clean() const {
    return tx_ == rx_ && (shift_ == 0 || !Code::kRecentres) && errors_.none_active() &&
           !overwritten_;
  }

  std::int64_t clean_until(std::int64_t end, const std::vector<Timed>& sent, std::size_t i) const {
    std::int64_t stop = std::min(end, schedule_.next_slot(slot_));
    if (const auto* word = targets_.next_word()) stop = std::min(stop, word->slot);
    const std::int64_t slip = schedule_.next_busy_slip();
    if (slip < stop) {
      while (i < sent.size() && sent[i].edge < slip) ++i;
      if (i < sent.size()) stop = std::min(stop, sent[i].edge);
    }
    return stop;
  }

  /// One slot, in full.
  void carry(const Symbol& sent, std::vector<Timed>& queue) {
    Symbol symbol = sent;
    for (const auto* word = targets_.next_word(); word != nullptr && word->slot == slot_;
         word = targets_.next_word()) {
      symbol = Code::flip(symbol, word->mask);
      errors_.activate(errors_.forced(slot_, word->pattern), Code::differ(symbol, sent));
      targets_.take_word();
    }
    const std::uint32_t held = begin_outages();
    flips_.clear();
    slips_.clear();
    schedule_.take_flips(slot_, flips_);
    schedule_.take_slips(slot_, pulled_ ? false : sent != Code::idle(), slips_);
    if (pulled_) {
      // Nothing else can go wrong on a line that is not there.
      Code::track(symbol, tx_);
      if (silent_) Code::pass_idle(rx_, 1);
      emit(sent, silent_ ? Code::idle() : Code::no_signal(rx_), queue);
    } else {
      line(sent, symbol, held, queue);
    }
    if (!Code::kLasting) {
      errors_.end_all();
      return;
    }
    errors_.keep(held | Code::differ(tx_, rx_));
  }

  /// `held`: lanes with a fault that lasts.
  void line(const Symbol& sent, const Symbol& symbol, std::uint32_t held,
            std::vector<Timed>& queue) {
    typename Code::Coded coded = Code::encode(symbol, tx_);
    const bool idle = sent == Code::idle();
    std::size_t slip = kNone;
    if (!slips_.empty()) {
      slip = errors_.slip(slot_, slips_[0].doubled);
      // The buffer makes up for an idle symbol lost or doubled on the spot.
      if (idle && Code::kRecentres) slip = kNone;
    }
    if (slip != kNone && !slips_[0].doubled) {
      errors_.activate(slip, kAllLanes);
      if (tap_ != nullptr) tap_->carried(slot_, sent, nullptr);
      lose(slip);
      return;
    }
    if (held != 0) damage_lanes(coded);
    for (const auto& f : flips_) {
      if (((silenced_ >> f.lane) & 1U) != 0) continue;  // a stuck lane has no bit to invert
      coded[f.lane] = static_cast<typename Code::Coded::value_type>(coded[f.lane] ^ (1U << f.bit));
      errors_.activate(errors_.flip(f), 1U << f.lane);
    }
    emit(sent, Code::decode(coded, rx_), queue);
    if (slip == kNone) return;
    // From here on: what else is wrong with the symbol itself is not its copy's doing.
    errors_.activate(slip, kAllLanes);
    emit_copy(slip, sent, Code::decode(coded, rx_), queue);
  }

  /// A slip that nothing makes up for shows where the moved bits first differ from the others.
  void locate_slips(std::int64_t edge) {
    for (const Slipped& s : slipped_) ledger_.slipped_for_good(s.number, edge - s.back, s.by);
    slipped_.clear();
  }

  /// A symbol that does not arrive. Nothing may come more than one symbol early.
  void lose(std::size_t number) {
    if constexpr (Code::kRecentres) {
      waiting_.push_back({number, last_busy_});
      // A buffer that is empty already hands out an idle symbol instead.
      if (shift_ > -1) --shift_;
    } else {
      // A buffer that is empty already hands out eight idle symbols, the last byte once more.
      const int by = shift_ > -1 ? -1 : 7;
      slipped_.push_back({number, 0, by});
      shift_ += by;
      if (by > 0) {
        for (int i = 0; i < 8 && tap_ != nullptr; ++i) tap_->inserted(slot_, Code::idle());
      }
    }
  }

  /// What the line shows at the receiver in place of `sent`.
  void emit(const Symbol& sent, const Symbol& received, std::vector<Timed>& queue) {
    if (overwritten_) {
      overwritten_ = false;
      if (tap_ != nullptr) tap_->carried(slot_, sent, nullptr);
      return;
    }
    if (tap_ != nullptr && !(sent == Code::idle() && received == sent))
      tap_->carried(slot_, sent, &received);
    const std::int64_t edge = slot_ + offset_ + shift_;
    note_changes(sent, received, edge);
    if (!slipped_.empty() && !Code::repeats(tx_)) locate_slips(edge);
    if (received == Code::idle()) {
      if (Code::kRecentres) shift_ -= shift_ > 0 ? 1 : shift_ < 0 ? -1 : 0;
    } else {
      push(edge, received, queue);
    }
  }

  void emit_copy(std::size_t number, const Symbol& sent, const Symbol& received,
                 std::vector<Timed>& queue) {
    // A buffer that is full already loses the next symbol instead; one that nothing recentres has
    // room.
    if (shift_ < 1 || !Code::kRecentres) {
      ++shift_;
    } else {
      overwritten_ = true;
    }
    const std::int64_t edge = slot_ + offset_ + shift_ + (overwritten_ ? 1 : 0);
    if (tap_ != nullptr) tap_->inserted(slot_, received);
    if (Code::kRecentres) {
      ledger_.slipped(number, edge - 1, edge);
    } else {
      slipped_.push_back({number, 1, 1});  // the copy came in place of what comes next
    }
    if (overwritten_) ledger_.changed(number, edge);
    note_changes(sent, received, edge);
    if (received != Code::idle()) push(edge, received, queue);
  }

  void note_changes(const Symbol& sent, const Symbol& received, std::int64_t edge) {
    const std::uint32_t lanes = Code::changed(sent, received, tx_, rx_);
    if (lanes == 0) return;
    if constexpr (requires { Code::changed_command(sent, received); }) {
      // What carries a command beside a frame's word is two parts, in the same lanes.
      if (const std::uint32_t frame = Code::changed_frame(sent, received); frame != 0)
        errors_.changed(frame, edge, Part::Frame);
      if (const std::uint32_t command = Code::changed_command(sent, received); command != 0)
        errors_.changed(command, edge, Part::Command);
    } else {
      errors_.changed(lanes, edge);
    }
  }

  void push(std::int64_t edge, const Symbol& symbol, std::vector<Timed>& queue) {
    if (symbol == Code::idle()) return;
    for (const Waiting& w : waiting_) ledger_.slipped(w.number, w.before, edge);
    waiting_.clear();
    last_busy_ = edge;
    queue.push_back({edge, symbol});
  }

  /// Logs outages that begin, keeps those that last active; returns the lanes they hold.
  std::uint32_t begin_outages() {
    outages_.clear();
    schedule_.outages_at(slot_, outages_);
    pulled_ = false;
    std::uint32_t held = 0;
    silenced_ = 0;
    silent_ = true;
    for (const std::size_t i : outages_) {
      if (!schedule_.outage(i).pulled) continue;
      pulled_ = true;
      silent_ = silent_ && schedule_.outage(i).fault.kind == ErrorKind::Silent;
    }
    for (const std::size_t i : outages_) {
      const auto& o = schedule_.outage(i);
      if (pulled_ && !o.pulled) continue;  // nothing is stuck on a line that is not there
      const std::uint32_t lanes = o.pulled ? kAllLanes : lane_effect(o.fault.kind).lanes(o.fault);
      errors_.activate(errors_.outage(slot_, i), lanes);
      held |= lanes;
      if (!o.pulled && lane_effect(o.fault.kind).silences) silenced_ |= lanes;
    }
    return held;
  }

  /// What the faults of lanes leave of a symbol's groups. The first has the last word.
  void damage_lanes(typename Code::Coded& coded) const {
    std::array<std::uint32_t, Code::kLanes> groups;
    std::copy(coded.begin(), coded.end(), groups.begin());
    for (auto i = outages_.rbegin(); i != outages_.rend(); ++i) {
      const LaneFault& fault = schedule_.outage(*i).fault;
      lane_effect(fault.kind).damage(fault, groups, (1U << Code::kGroupBits) - 1);
    }
    std::transform(groups.begin(), groups.end(), coded.begin(), [](std::uint32_t group) {
      return static_cast<typename Code::Coded::value_type>(group);
    });
  }

  FaultSchedule schedule_;
  LineTargets<Code> targets_;
  LineErrors errors_;
  ErrorLedger& ledger_;
  CableTap<Symbol>* tap_ = nullptr;  ///< during transfer()
  std::int64_t offset_;              ///< receiver's edge = slot + offset_ + shift_

  std::int64_t slot_ = 0;  ///< next to be carried
  typename Code::State tx_{}, rx_{};
  int shift_ = 0;             ///< elastic buffer: symbols late (1 or more), early (-1) or neither
  bool overwritten_ = false;  ///< the next symbol finds the buffer full
  bool pulled_ = false, silent_ = false;
  std::uint32_t silenced_ = 0;   ///< lanes on which nothing arrives of what is sent
  std::int64_t last_busy_ = -1;  ///< edge of the last symbol queued
  std::vector<Waiting> waiting_;
  std::vector<Slipped> slipped_;  ///< slips that have not shown yet

  std::vector<FaultSchedule::Flip> flips_;  ///< of this slot; kept for their storage
  std::vector<FaultSchedule::Slip> slips_;
  std::vector<std::size_t> outages_;
};

}  // namespace ht::sim
