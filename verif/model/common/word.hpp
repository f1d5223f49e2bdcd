// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace ht::model {

/// What an XGMII-like port carries a link clock: four lanes of 8 bits and, a bit a lane, whether it
/// is a control character. Lane 0 is bits 7:0 and goes first.
struct Word {
  std::uint32_t data = 0x07070707U;
  std::uint8_t control = 0xf;

  constexpr std::uint8_t lane(unsigned i) const {
    return static_cast<std::uint8_t>(data >> (8 * i));
  }
  constexpr bool is_control(unsigned i) const { return ((control >> i) & 1U) != 0; }
  bool operator==(const Word&) const = default;
};

constexpr Word kIdleWord{0x07070707U, 0xf};
constexpr Word kErrorWord{0xfefefefeU, 0xf};  ///< what a port sees that receives no signal

}  // namespace ht::model
