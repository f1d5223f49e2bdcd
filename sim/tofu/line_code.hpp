// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "sim/cable/line_code.hpp"
#include "verif/model/tofu/beat.hpp"

namespace ht::sim {

/// A Tofu link: eight lanes of 6.25 Gb/s, two 8b/10b code groups a cycle each (CodedCharacter), the
/// bits 0 to 9 of the first character of a lane before the bits 10 to 19 of the second. The PHY has
/// aligned the lanes with each other.
struct TofuLineCode {
  using Symbol = model::Beat;
  using Coded = std::array<std::uint32_t, 8>;  ///< a lane's 20 bits, first on the line = bit 0
  using State = std::uint8_t;                  ///< a lane a bit: running disparity is positive

  static constexpr unsigned kLanes = 8;
  static constexpr unsigned kGroupBits = 20;
  static constexpr bool kRecentres = true;
  static constexpr bool kLasting = true;
  using Frames = NoFrames;

  static constexpr Symbol idle() { return model::kIdleBeat; }
  static Symbol no_signal(State& /*state*/) { return model::kErrorBeat; }
  /// A packet: FB in byte 0.
  static bool starts_frame(const Symbol& s);
  static bool is(const Symbol& s, Target target);
  /// Bytes 0 to 3 are what a mask reaches.
  static Symbol flip(const Symbol& s, std::uint32_t mask);

  static std::uint32_t differ(State a, State b) { return static_cast<std::uint32_t>(a ^ b); }
  static std::uint32_t differ(const Symbol& a, const Symbol& b);
  static std::uint32_t changed(const Symbol& sent, const Symbol& got, State /*tx*/, State /*rx*/) {
    return differ(sent, got);
  }

  /// Whether the upper half of the beat is free for a link control packet: by what was sent.
  static bool has_command_half(const Symbol& s);
  /// Lanes in which the part of a frame, or of the link control packet that may stand in the upper
  /// half of its last beat and of idle beats, is not what was sent.
  static std::uint32_t changed_frame(const Symbol& sent, const Symbol& got);
  static std::uint32_t changed_command(const Symbol& sent, const Symbol& got);

  static Coded encode(const Symbol& s, State& state);
  static Symbol decode(const Coded& c, State& state);
  static void track(const Symbol& s, State& state);
  static void pass_idle(State& /*state*/, std::int64_t /*symbols*/) {}
  static bool repeats(State /*state*/) { return false; }
};

static_assert(LineCode<TofuLineCode>);

}  // namespace ht::sim
