// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

namespace ht::model {

/// The 8b/10b code of IEEE 802.3 clause 36 (Widmer and Franaszek), both ways, with running
/// disparity. A code group is ten bits, abcdei fghj, bit a = bit 0 = first on the line.
namespace code_8b10b {

/// A decoded group. `error` if the ten bits are no code group, or not one of the current disparity.
struct Decoded {
  std::uint8_t byte = 0;
  bool control = false;  ///< a K code
  bool error = false;
  bool operator==(const Decoded&) const = default;
};

/// True if `byte` is one of the twelve K codes: K28.0-7, K23.7, K27.7, K29.7, K30.7.
bool is_control_code(std::uint8_t byte);

/// The group of a data byte, or of a K code if `control`. `positive` is the running disparity
/// before and after. Throws std::invalid_argument for a control byte that is no K code.
std::uint16_t encode(std::uint8_t byte, bool control, bool& positive);

/// What a receiver makes of ten bits. Running disparity follows the bits received, sub-block by
/// sub-block (36.2.4.4), also where they are no code group.
Decoded decode(std::uint16_t group, bool& positive);

/// True if sending this byte inverts the running disparity: exactly one of its two sub-blocks has
/// unequal numbers of zeros and ones.
constexpr bool inverts_disparity(std::uint8_t byte, bool control) {
  // Unbalanced: D0-2, 4, 8, 15, 16, 23, 24, 27, 29-31 and K28; of the second half 0, 4 and 7.
  const std::uint32_t six = 0xe9818117U ^ (control ? 1U << 28 : 0U);
  const std::uint32_t four = 0x91U;
  return (((six >> (byte & 31U)) ^ (four >> (byte >> 5))) & 1U) != 0;
}

}  // namespace code_8b10b
}  // namespace ht::model
