// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

namespace ht::model {

/// What a Tofu link carries a cycle: 16 bytes and, a bit each, whether it is a control character.
/// Byte 0 is bits 7:0 of word 0 and goes first. In lanes: byte k travels on lane k modulo 8, bytes
/// 0 to 7 before the others.
struct Beat {
  static constexpr unsigned kBytes = 16;
  std::array<std::uint64_t, 2> word{0x0707070707070707U, 0x0707070707070707U};
  std::uint16_t control = 0xffff;

  constexpr std::uint8_t byte(unsigned i) const {
    return static_cast<std::uint8_t>(word[i / 8] >> (8 * (i % 8)));
  }
  constexpr bool is_control(unsigned i) const { return ((control >> i) & 1U) != 0; }
  /// Byte i is this control character.
  constexpr bool is(unsigned i, std::uint8_t code) const {
    return is_control(i) && byte(i) == code;
  }
  /// Byte i becomes `value`, a control character or data.
  constexpr void set(unsigned i, std::uint8_t value, bool is_control) {
    word[i / 8] &= ~(std::uint64_t{0xff} << (8 * (i % 8)));
    word[i / 8] |= std::uint64_t{value} << (8 * (i % 8));
    control = static_cast<std::uint16_t>((control & ~(1U << i)) | ((is_control ? 1U : 0U) << i));
  }
  bool operator==(const Beat&) const = default;
};

constexpr Beat kIdleBeat{};
/// What a port sees that receives no signal.
constexpr Beat kErrorBeat{{0xfefefefefefefefeU, 0xfefefefefefefefeU}, 0xffff};

}  // namespace ht::model
