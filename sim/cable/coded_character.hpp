// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "verif/model/common/code_8b10b.hpp"

namespace ht::sim {

/// Our assumption about PHYs that are not described, XAUI's way: a character of the port, eight
/// bits and whether it is control, is one 8b/10b code group. Control characters travel as K codes:
/// 9C = K28.4, 5C = K28.2, FB = K27.7, FD = K29.7, FE = K30.7, other K codes by their own number,
/// and idle 07 as K28.0 (1C, which itself is not used). K28.0 is balanced, so that an idle
/// character leaves the running disparity as it was; XAUI's mixture of /K/, /R/ and /A/ would do
/// the same to us at more cost. What is no K code is sent as FE. A group that is no code word, or
/// of the wrong disparity, is received as FE.
struct CodedCharacter {
  static constexpr std::uint8_t kIdle = 0x07, kIdleCode = 0x1c, kError = 0xfe;

  std::uint8_t byte = kIdle;
  bool control = true;

  /// The ten bits, first on the line = bit 0. `positive`: the running disparity, before and after.
  std::uint16_t encode(bool& positive) const {
    return model::code_8b10b::encode(line_byte(), control, positive);
  }
  static CodedCharacter decode(std::uint16_t group, bool& positive) {
    const auto d = model::code_8b10b::decode(group, positive);
    if (d.error) return {kError, true};
    if (d.control && d.byte == kIdleCode) return {kIdle, true};
    return {d.byte, d.control};
  }
  bool inverts_disparity() const {
    return model::code_8b10b::inverts_disparity(line_byte(), control);
  }

 private:
  /// The byte that travels.
  std::uint8_t line_byte() const {
    if (!control) return byte;
    if (byte == kIdle) return kIdleCode;
    return byte != kIdleCode && model::code_8b10b::is_control_code(byte) ? byte : kError;
  }
};

}  // namespace ht::sim
