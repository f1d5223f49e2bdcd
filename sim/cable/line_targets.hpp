// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sim/cable/cable.hpp"
#include "sim/cable/fault_schedule.hpp"

namespace ht::sim {

/// Looks, in what is sent over a line, for what its faults are to hit: words of a certain packet
/// (FaultPlan::Forced), the next symbol of a sort (FaultPlan::Aimed). Included only where a Cable
/// is instantiated.
template <LineCode Code>
class LineTargets {
 public:
  using Symbol = typename Code::Symbol;
  using Timed = TimedSymbol<Symbol>;
  /// Damage to a symbol itself.
  struct ForcedWord {
    std::int64_t slot;
    std::uint32_t mask;
    std::size_t pattern;
  };

  /// Throws if there is no such place as the plan wants to be damaged.
  explicit LineTargets(const FaultPlan& plan) : forced_(plan.forced), aimed_(plan.aimed) {
    if constexpr (kReadsFrames) {
      for (const auto& f : forced_) Frames::slots_of(f, 0);
    }
  }

  /// What is sent in the slots [from, end), by slot: reports what it finds to the schedule, keeps
  /// the words that are to be damaged.
  void look(std::int64_t from, std::int64_t end, const std::vector<Timed>& sent,
            FaultSchedule& schedule) {
    if constexpr (kReadsFrames) {
      if (!forced_.empty() || !aimed_.empty()) read_frames(end, sent, schedule);
    } else if (!forced_.empty()) {
      find_forced(sent);
    }
    if (!schedule.aims().empty()) find_aimed(from, end, sent, schedule);
  }

  /// The next word to be damaged, or null.
  const ForcedWord* next_word() const {
    return word_found_ < words_.size() ? &words_[word_found_] : nullptr;
  }
  void take_word() { ++word_found_; }

  /// First slot from `slot` on in which an aimed error hits, if only idle symbols are sent.
  std::int64_t next_idle_target(std::int64_t slot, const FaultSchedule& schedule) const {
    std::int64_t next = FaultSchedule::kNoSlot;
    for (const auto& aim : schedule.aims()) {
      if (aimed_[aim.number].target == Target::Idle && slot < schedule.waits_until())
        next = std::min(next, std::max(aim.slot, slot));
    }
    return next;
  }

 private:
  using Frames = typename Code::Frames;
  static constexpr bool kReadsFrames = !std::is_same_v<Frames, NoFrames>;

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
          if (flip.word == word_) words_.push_back({t.edge, flip.mask, i});
        }
      }
    }
  }

  /// The same for a code whose symbols say nothing of frames, and what aims may hit besides.
  void read_frames(std::int64_t end, const std::vector<Timed>& sent,
                   FaultSchedule& schedule) requires kReadsFrames {
    for (const Timed& t : sent) frames_.sent(t.edge);
    frames_.idle_until(end);
    marks_ = frames_.take_marks();
    for (const auto& mark : marks_) {
      if (mark.target != Target::Packet) continue;
      ++frame_;
      for (std::size_t i = 0; i < forced_.size(); ++i) {
        if (static_cast<std::int64_t>(forced_[i].frame) == frame_)
          schedule.force(i, Frames::slots_of(forced_[i], mark.slot));
      }
    }
  }

  /// Looks for what aimed errors are to hit.
  void find_aimed(std::int64_t from, std::int64_t end, const std::vector<Timed>& sent,
                  FaultSchedule& schedule) {
    for (std::size_t i = 0; i < schedule.aims().size();) {
      const auto aim = schedule.aims()[i];
      const auto slot = first_target(aimed_[aim.number].target, std::max(aim.slot, from), sent);
      if (slot < std::min(end, schedule.waits_until())) {
        schedule.hit(i, slot);
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

  std::vector<FaultPlan::Forced> forced_;
  std::vector<FaultPlan::Aimed> aimed_;
  std::int64_t frame_ = -1;
  unsigned word_ = 0;
  Frames frames_;
  std::vector<typename Frames::Mark> marks_;  ///< of the slots being looked at
  std::vector<ForcedWord> words_;
  std::size_t word_found_ = 0;  ///< of those, the next one
};

}  // namespace ht::sim
