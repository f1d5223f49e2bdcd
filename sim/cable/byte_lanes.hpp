// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "sim/cable/line_code.hpp"
#include "verif/model/common/word.hpp"

namespace ht::sim {

/// A line of four lanes of 8b/10b (CodedCharacter), one group of ten bits a lane and link clock,
/// with the PHYs of both ends: the port's four bytes in, the port's four bytes out. A line code
/// that derives from it says which words start frames (`starts_frame`, `is`).
struct ByteLanes {
  using Symbol = model::Word;
  using Coded = std::array<std::uint16_t, 4>;  ///< a lane's ten bits, first on the line = bit 0
  using State = std::uint8_t;                  ///< a lane a bit: running disparity is positive
  using Frames = NoFrames;

  static constexpr unsigned kLanes = 4;
  static constexpr unsigned kGroupBits = 10;
  static constexpr bool kRecentres = true;
  static constexpr bool kLasting = true;

  static constexpr Symbol idle() { return model::kIdleWord; }
  static Symbol no_signal(State& /*state*/) { return model::kErrorWord; }
  static Symbol flip(const Symbol& s, std::uint32_t mask) { return {s.data ^ mask, s.control}; }

  static std::uint32_t differ(State a, State b) { return static_cast<std::uint32_t>(a ^ b); }
  static std::uint32_t differ(const Symbol& a, const Symbol& b);
  static std::uint32_t changed(const Symbol& sent, const Symbol& got, State /*tx*/, State /*rx*/) {
    return differ(sent, got);
  }

  static Coded encode(const Symbol& s, State& state);
  static Symbol decode(const Coded& c, State& state);
  static void track(const Symbol& s, State& state);
  static void pass_idle(State& /*state*/, std::int64_t /*symbols*/) {}
  static bool repeats(State /*state*/) { return false; }
};

}  // namespace ht::sim
