// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "sim/cable/fault_plan.hpp"
#include "sim/cable/line_code.hpp"
#include "verif/model/qcdoc/reader.hpp"

namespace ht::sim {

/// A wire that carries one bit a clock and always does: nothing to say is a byte repeated. So that
/// a Cable has idle symbols to leave out, a symbol here is a bit's difference from the bit eight
/// clocks before: 0 while a byte repeats itself. What travels, and is damaged, is the bit.
///
/// A flipped bit therefore is two symbols at the receiver, eight apart: the bit itself, and the one
/// that is compared with it. A lost or doubled bit is a slip that nothing makes up for: what
/// follows comes one clock early or late from then on, as the same symbols once eight bits have
/// passed.
struct QcdocLineCode {
  using Symbol = std::uint8_t;  ///< 1: the bit is not the one of eight clocks before
  using Coded = std::array<std::uint16_t, 1>;
  using State = std::uint8_t;  ///< the last eight bits, the newest in bit 0

  static constexpr unsigned kLanes = 1;
  static constexpr unsigned kGroupBits = 1;
  static constexpr bool kRecentres = false;
  static constexpr bool kLasting = false;

  static constexpr Symbol idle() { return 0; }
  /// A pulled cable: the wire reads 0.
  static Symbol no_signal(State& state) { return decode({0}, state); }
  /// A symbol says nothing of frames.
  static bool starts_frame(Symbol /*s*/) { return false; }
  static bool is(Symbol s, Target target) { return target == Target::Idle && s == idle(); }
  static Symbol flip(Symbol s, std::uint32_t mask) { return static_cast<Symbol>(s ^ (mask & 1)); }

  static std::uint32_t differ(State a, State b) { return a == b ? 0 : 1; }
  /// Whether the bit that was received last is not the one that was sent last.
  static std::uint32_t changed(Symbol /*sent*/, Symbol /*received*/, State tx, State rx) {
    return (tx ^ rx) & 1U;
  }

  static Coded encode(Symbol s, State& state) {
    track(s, state);
    return {static_cast<std::uint16_t>(state & 1U)};
  }
  static Symbol decode(const Coded& c, State& state) {
    const unsigned oldest = state >> 7;
    state = static_cast<State>(state << 1 | (c[0] & 1U));
    return static_cast<Symbol>(oldest ^ (c[0] & 1U));
  }
  static void track(Symbol s, State& state) {
    state = static_cast<State>(state << 1 | ((state >> 7) ^ s));
  }
  static void pass_idle(State& state, std::int64_t symbols) {
    state = std::rotl(state, static_cast<int>(symbols & 7));
  }
  /// Whether a bit more or less would not show: the last two are the same.
  static bool repeats(State state) { return ((state ^ state >> 1) & 1) == 0; }

  class Frames;
};

/// Where frames are on the line: symbols say nothing of them, so what is sent is read.
class QcdocLineCode::Frames {
 public:
  using Mark = NoFrames::Mark;  ///< slot: of the last bit of what is a target
  /// Reads on up to, not including, `slot`, idle but for the symbols given before.
  void idle_until(std::int64_t slot);
  /// The symbol of `slot` is not idle.
  void sent(std::int64_t slot) {
    idle_until(slot);
    push(true);
  }
  /// What was found since the last call.
  std::vector<Mark> take_marks() { return std::exchange(marks_, {}); }
  /// Slots of the flips of a pattern in the data word whose header ended in `slot`.
  static std::vector<std::int64_t> slots_of(const FaultPlan::Forced& pattern, std::int64_t slot);

 private:
  void push(bool symbol);

  model::qcdoc::SenderReader reader_;
  State history_ = 0;
  std::int64_t slot_ = 0;  ///< next
  std::vector<Mark> marks_;
};

static_assert(LineCode<QcdocLineCode>);

/// Between a node's pins and its cables, up to 32 wires (bit i: wire i) of one direction at once.
/// Before the first edge every wire was 0. Any number of edges at which the wires repeat themselves
/// (no symbol) may be left out.
class SerialHistory {
 public:
  /// The symbols of what the pins show at this edge: bit i is to be sent on cable i if it is 1.
  /// Of the wires in `same` they are not looked at: those repeat themselves.
  std::uint32_t symbols(std::int64_t edge, std::uint32_t bits, std::uint32_t same = 0) {
    std::uint32_t& before = at(edge);
    const std::uint32_t changed = (bits ^ before) & ~same;
    before ^= changed;
    return changed;
  }
  /// What the pins show at this edge, from what the cables brought.
  std::uint32_t bits(std::int64_t edge, std::uint32_t symbols) { return at(edge) ^= symbols; }
  /// What they showed at one of the last eight edges.
  std::uint32_t bits(std::int64_t edge) const { return last_[static_cast<std::size_t>(edge & 7)]; }

 private:
  std::uint32_t& at(std::int64_t edge) { return last_[static_cast<std::size_t>(edge & 7)]; }

  std::array<std::uint32_t, 8> last_{};  ///< by edge modulo 8
};

}  // namespace ht::sim
