// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "sim/cable/byte_lanes.hpp"
#include "verif/model/qpace/wire.hpp"

namespace ht::sim {

/// QPACE's line.
struct QpaceLineCode : ByteLanes {
  /// A data packet.
  static bool starts_frame(const Symbol& s) {
    return model::qpace::starts_with(s, model::qpace::kStart);
  }
  static bool is(const Symbol& s, Target target);
};

static_assert(LineCode<QpaceLineCode>);

/// What a cycle of RGMII carries one way, modelled as four bits at 250 MHz ([QPACE2009] section 5).
struct EthernetNibble {
  std::uint8_t data = 0;
  bool valid = false;  ///< RX_CTL, TX_CTL
  bool operator==(const EthernetNibble&) const = default;
};

/// The Ethernet cable with both its PHYs, from RGMII to RGMII: the five bits of a cycle as they
/// are. An inverted bit stands for whatever a real 1000BASE-T line makes of noise.
struct EthernetLineCode {
  using Symbol = EthernetNibble;
  using Coded = std::array<std::uint16_t, 1>;
  using State = std::uint8_t;  ///< none

  static constexpr unsigned kLanes = 1;
  static constexpr unsigned kGroupBits = 5;

  static constexpr Symbol idle() { return {}; }
  static constexpr bool kRecentres = true;
  static constexpr bool kLasting = true;
  using Frames = NoFrames;
  static Symbol no_signal(State& /*state*/) { return {}; }
  /// No frames are counted here, so that patterns cannot be forced on them.
  static bool starts_frame(const Symbol& /*s*/) { return false; }
  /// Nor aimed at.
  static bool is(const Symbol& s, Target target) { return target == Target::Idle && s == idle(); }
  static Symbol flip(const Symbol& s, std::uint32_t mask) {
    return {static_cast<std::uint8_t>(s.data ^ (mask & 15)), s.valid};
  }
  static std::uint32_t differ(State /*a*/, State /*b*/) { return 0; }
  static std::uint32_t differ(const Symbol& a, const Symbol& b) { return a == b ? 0 : 1; }
  static std::uint32_t changed(const Symbol& sent, const Symbol& got, State /*tx*/, State /*rx*/) {
    return differ(sent, got);
  }
  static Coded encode(const Symbol& s, State& /*state*/) {
    return {static_cast<std::uint16_t>(s.data | (s.valid ? 16 : 0))};
  }
  static Symbol decode(const Coded& c, State& /*state*/) {
    return {static_cast<std::uint8_t>(c[0] & 15), (c[0] & 16) != 0};
  }
  static void track(const Symbol& /*s*/, State& /*state*/) {}
  static void pass_idle(State& /*state*/, std::int64_t /*symbols*/) {}
  static bool repeats(State /*state*/) { return false; }
};

static_assert(LineCode<EthernetLineCode>);

}  // namespace ht::sim
