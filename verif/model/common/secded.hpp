// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <bit>
#include <cstdint>

namespace ht::model {

/// Hsiao's (72, 64) code as rtl/common/secded_*.v have it: the 64 columns are all bytes of weight 3
/// in increasing order, then the eight rotations of 1F.
constexpr std::array<std::uint8_t, 64> secded_columns() {
  std::array<std::uint8_t, 64> columns{};
  std::size_t n = 0;
  for (unsigned c = 0; c < 256; ++c) {
    if (std::popcount(c) == 3) columns[n++] = static_cast<std::uint8_t>(c);
  }
  for (int r = 0; r < 8; ++r) columns[n++] = std::rotl(std::uint8_t{0x1f}, r);
  return columns;
}

/// The 8 check bits of 64 data bits.
constexpr std::uint8_t secded_check(std::uint64_t data) {
  constexpr auto columns = secded_columns();
  std::uint8_t check = 0;
  for (; data != 0; data &= data - 1)
    check ^= columns[static_cast<std::size_t>(std::countr_zero(data))];
  return check;
}

}  // namespace ht::model
