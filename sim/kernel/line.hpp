// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "sim/kernel/cable.hpp"
#include "sim/kernel/fault_schedule.hpp"

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
        forced_(o.faults.forced),
        aimed_(o.faults.aimed),
        ledger_(ledger),
        sender_(o.sender),
        offset_(o.receiver.first_edge(o.sender.edge(0) + o.delay)),
        outage_numbers_(schedule_.outage_count(), kNone),
        forced_numbers_(o.faults.forced.size(), kNone) {
    if constexpr (kReadsFrames) {
      for (const auto& f : forced_) Frames::slots_of(f, 0);  // throws if there is no such place
    }
  }

  /// Carries slots up to, not including, `end`: from `sent`, ordered by slot, to `queue`. `tap` may
  /// be null.
  void transfer(std::int64_t end, const std::vector<Timed>& sent, std::vector<Timed>& queue,
                CableTap<Symbol>* tap) {
    tap_ = tap;
    if constexpr (kReadsFrames) {
      if (!forced_.empty() || !aimed_.empty()) read_frames(end, sent);
    } else if (!forced_.empty()) {
      find_forced(sent);
    }
    if (!schedule_.aims().empty()) find_targets(end, sent);
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
    if (tx_ != rx_ || !active_.empty()) return slot_;
    std::int64_t next = schedule_.next_slot(slot_);
    for (const auto& aim : schedule_.aims()) {
      if (aimed_[aim.number].target == Target::Idle)
        next = std::min(next, std::max(aim.slot, slot_));
    }
    return next;
  }

 private:
  using Frames = typename Code::Frames;
  static constexpr bool kReadsFrames = !std::is_same_v<Frames, NoFrames>;
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  static constexpr std::uint32_t kAllLanes = (1U << Code::kLanes) - 1;

  struct Active {  ///< an error that may still change words in some lanes
    std::size_t number;
    std::uint32_t lanes;
  };
  struct Waiting {  ///< a lost symbol whose next neighbour has not been received yet
    std::size_t number;
    std::int64_t before;
  };
  struct Slipped {  ///< a slip that nothing makes up for
    std::size_t number;
    std::int64_t back;  ///< it shows so many edges before the first moved bit that differs
  };
  struct ForcedWord {
    std::int64_t slot;
    std::uint32_t mask;
    std::size_t pattern;
  };

  bool clean() const {
    return tx_ == rx_ && (shift_ == 0 || !Code::kRecentres) && active_.empty() && !overwritten_;
  }

  std::int64_t clean_until(std::int64_t end, const std::vector<Timed>& sent, std::size_t i) const {
    std::int64_t stop = std::min(end, schedule_.next_slot(slot_));
    if (forced_word_ < forced_words_.size())
      stop = std::min(stop, forced_words_[forced_word_].slot);
    const std::int64_t slip = schedule_.next_busy_slip();
    if (slip < stop) {
      while (i < sent.size() && sent[i].edge < slip) ++i;
      if (i < sent.size()) stop = std::min(stop, sent[i].edge);
    }
    return stop;
  }

  /// Counts data packets and notes the slots of the words that are to be damaged.
  void find_forced(const std::vector<Timed>& sent) {
    for (const Timed& t : sent) {
      if (t.symbol == Code::idle()) continue;
      if (Code::starts_frame(t.symbol)) {
        ++frame_;
        word_ = 0;
      } else {
        ++word_;
      }
      for (std::size_t i = 0; i < forced_.size(); ++i) {
        if (static_cast<std::int64_t>(forced_[i].frame) != frame_) continue;
        for (const auto& flip : forced_[i].flips) {
          if (flip.word == word_) forced_words_.push_back({t.edge, flip.mask, i});
        }
      }
    }
  }

  /// The same for a code whose symbols say nothing of frames, and what aims may hit besides.
  void read_frames(std::int64_t end, const std::vector<Timed>& sent) requires kReadsFrames {
    for (const Timed& t : sent) frames_.sent(t.edge);
    frames_.idle_until(end);
    marks_ = frames_.take_marks();
    for (const auto& mark : marks_) {
      if (mark.target != Target::Packet) continue;
      ++frame_;
      for (std::size_t i = 0; i < forced_.size(); ++i) {
        if (static_cast<std::int64_t>(forced_[i].frame) == frame_)
          schedule_.force(i, Frames::slots_of(forced_[i], mark.slot));
      }
    }
  }

  /// Looks for what aimed errors are to hit in the slots up to `end`.
  void find_targets(std::int64_t end, const std::vector<Timed>& sent) {
    for (std::size_t i = 0; i < schedule_.aims().size();) {
      const auto aim = schedule_.aims()[i];
      const auto slot = first_target(aimed_[aim.number].target, std::max(aim.slot, slot_), sent);
      if (slot < end) {
        schedule_.hit(i, slot);
      } else {
        ++i;
      }
    }
  }
  std::int64_t first_target(Target target, std::int64_t from, const std::vector<Timed>& sent) {
    if constexpr (kReadsFrames) {
      for (const auto& mark : marks_) {
        if (mark.slot >= from && mark.target == target) return mark.slot;
      }
      if (target != Target::Idle) return FaultSchedule::kNoSlot;
    }
    std::int64_t idle = from;
    for (const Timed& t : sent) {
      if (t.edge < from) continue;
      if (target == Target::Idle) {
        if (t.edge > idle) break;
        ++idle;
      } else if (Code::is(t.symbol, target)) {
        return t.edge;
      }
    }
    return target == Target::Idle ? idle : FaultSchedule::kNoSlot;
  }

  /// One slot, in full.
  void carry(const Symbol& sent, std::vector<Timed>& queue) {
    Symbol symbol = sent;
    for (; forced_word_ < forced_words_.size() && forced_words_[forced_word_].slot == slot_;
         ++forced_word_) {
      const ForcedWord& f = forced_words_[forced_word_];
      symbol = Code::flip(symbol, f.mask);
      std::size_t& number = forced_numbers_[f.pattern];
      if (number == kNone) number = inject(ErrorKind::Forced, -1, 0);
      activate(number, Code::differ(symbol, sent));
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
      active_.clear();
      return;
    }
    const std::uint32_t dirty = held | Code::differ(tx_, rx_);
    for (Active& a : active_) a.lanes &= dirty;
    std::erase_if(active_, [](const Active& a) { return a.lanes == 0; });
  }

  void line(const Symbol& sent, const Symbol& symbol, std::uint32_t held,
            std::vector<Timed>& queue) {
    typename Code::Coded coded = Code::encode(symbol, tx_);
    const bool idle = sent == Code::idle();
    std::size_t slip = kNone;
    if (!slips_.empty()) {
      slip = inject(slips_[0].doubled ? ErrorKind::Doubled : ErrorKind::Lost, -1, 0);
      // The buffer makes up for an idle symbol lost or doubled on the spot.
      if (idle && Code::kRecentres) slip = kNone;
    }
    if (slip != kNone) activate(slip, kAllLanes);
    if (slip != kNone && !slips_[0].doubled) {
      if (tap_ != nullptr) tap_->carried(slot_, sent, nullptr);
      lose(slip);
      return;
    }
    for (unsigned lane = 0; lane < Code::kLanes; ++lane) {
      if (((held >> lane) & 1U) != 0) coded[lane] = stuck_value(lane);
    }
    for (const auto& f : flips_) {
      if (((held >> f.lane) & 1U) != 0) continue;  // a stuck lane has no bit to invert
      coded[f.lane] = static_cast<typename Code::Coded::value_type>(coded[f.lane] ^ (1U << f.bit));
      activate(flip_number(f), 1U << f.lane);
    }
    emit(sent, Code::decode(coded, rx_), queue);
    if (slip != kNone) emit_copy(slip, sent, Code::decode(coded, rx_), queue);
  }

  /// A slip that nothing makes up for shows where the moved bits first differ from the others.
  void locate_slips(std::int64_t edge) {
    for (const Slipped& s : slipped_) ledger_.slipped_for_good(s.number, edge - s.back);
    slipped_.clear();
  }

  /// A symbol that does not arrive. Nothing may come more than one symbol early.
  void lose(std::size_t number) {
    if constexpr (Code::kRecentres) {
      waiting_.push_back({number, last_busy_});
      // A buffer that is empty already hands out an idle symbol instead.
      if (shift_ > -1) --shift_;
    } else {
      slipped_.push_back({number, 0});
      if (shift_ > -1) {
        --shift_;
      } else {
        // A buffer that is empty already hands out eight idle symbols, the last byte once more.
        shift_ += 7;
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
      slipped_.push_back({number, 1});  // the copy came in place of what comes next
    }
    if (overwritten_) ledger_.changed(number, edge);
    note_changes(sent, received, edge);
    if (received != Code::idle()) push(edge, received, queue);
  }

  void note_changes(const Symbol& sent, const Symbol& received, std::int64_t edge) {
    const std::uint32_t lanes = Code::changed(sent, received, tx_, rx_);
    if (lanes == 0) return;
    std::uint32_t explained = 0;
    for (const Active& a : active_) {
      if ((a.lanes & lanes) != 0) ledger_.changed(a.number, edge);
      explained |= a.lanes;
    }
    if ((lanes & ~explained) != 0) {
      throw std::logic_error("cable: a symbol changed for which no injected error answers");
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
    silent_ = true;
    for (const std::size_t i : outages_) {
      if (schedule_.outage(i).lane >= 0) continue;
      pulled_ = true;
      silent_ = silent_ && schedule_.outage(i).silent;
    }
    for (const std::size_t i : outages_) {
      const auto& o = schedule_.outage(i);
      if (pulled_ && o.lane >= 0) continue;  // nothing is stuck on a line that is not there
      const std::uint32_t lanes = o.lane < 0 ? kAllLanes : 1U << o.lane;
      if (outage_numbers_[i] == kNone) {
        outage_numbers_[i] = inject(o.lane >= 0 ? ErrorKind::Stuck
                                    : o.silent  ? ErrorKind::Silent
                                                : ErrorKind::Pulled,
                                    o.lane, 0);
      }
      activate(outage_numbers_[i], lanes);
      held |= lanes;
    }
    return held;
  }

  typename Code::Coded::value_type stuck_value(unsigned lane) const {
    for (const std::size_t i : outages_) {
      const auto& o = schedule_.outage(i);
      if (o.lane == static_cast<int>(lane)) {
        return static_cast<typename Code::Coded::value_type>(o.value ? (1U << Code::kGroupBits) - 1
                                                                     : 0U);
      }
    }
    throw std::logic_error("cable: no outage holds this lane");
  }

  std::size_t flip_number(const FaultSchedule::Flip& f) {
    const int lane = static_cast<int>(f.lane);
    if (f.source < 0) return inject(ErrorKind::Bit, lane, f.bit);
    const auto source = static_cast<std::size_t>(f.source);
    if (burst_numbers_.size() <= source) burst_numbers_.resize(source + 1, kNone);
    if (burst_numbers_[source] == kNone) {
      burst_numbers_[source] = inject(schedule_.kind_of(f.source), lane, f.bit);
    }
    return burst_numbers_[source];
  }

  std::size_t inject(ErrorKind kind, int lane, unsigned bit) {
    InjectedError e;
    e.kind = kind;
    e.time = sender_.edge(slot_);
    e.symbol = slot_;
    e.lane = lane;
    e.bit = bit;
    return ledger_.inject(e);
  }

  void activate(std::size_t number, std::uint32_t lanes) {
    for (Active& a : active_) {
      if (a.number == number) {
        a.lanes |= lanes;
        return;
      }
    }
    active_.push_back({number, lanes});
  }

  FaultSchedule schedule_;
  std::vector<FaultPlan::Forced> forced_;
  std::vector<FaultPlan::Aimed> aimed_;
  ErrorLedger& ledger_;
  CableTap<Symbol>* tap_ = nullptr;  ///< during transfer()
  Clock sender_;
  std::int64_t offset_;  ///< receiver's edge = slot + offset_ + shift_

  std::int64_t slot_ = 0;  ///< next to be carried
  typename Code::State tx_{}, rx_{};
  int shift_ = 0;             ///< elastic buffer: symbols late (1 or more), early (-1) or neither
  bool overwritten_ = false;  ///< the next symbol finds the buffer full
  bool pulled_ = false, silent_ = false;
  std::int64_t last_busy_ = -1;  ///< edge of the last symbol queued
  std::vector<Active> active_;
  std::vector<Waiting> waiting_;
  std::vector<Slipped> slipped_;  ///< slips that have not shown yet
  std::vector<std::size_t> outage_numbers_, burst_numbers_, forced_numbers_;  ///< in the ledger
  std::int64_t frame_ = -1;
  unsigned word_ = 0;
  Frames frames_;
  std::vector<typename Frames::Mark> marks_;  ///< of the slots being transferred
  std::vector<ForcedWord> forced_words_;
  std::size_t forced_word_ = 0;

  std::vector<FaultSchedule::Flip> flips_;  ///< of this slot; kept for their storage
  std::vector<FaultSchedule::Slip> slips_;
  std::vector<std::size_t> outages_;
};

}  // namespace ht::sim
