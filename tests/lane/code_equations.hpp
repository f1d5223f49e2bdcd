// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

namespace ht::test {

/// 8b/10b without a table: the Boolean functions of Widmer and Franaszek (IBM J. Res. Dev. 27
/// (1983) 440, figures 3 to 6) from bits ABCDE FGH to abcdei fghj; which sub-blocks are inverted
/// follows from their numbers of ones. Bit a is bit 0. `positive` is the running disparity, before
/// and after.
inline std::uint16_t code_by_equations(std::uint8_t byte, bool control, bool& positive) {
  const auto bit = [&](unsigned n) { return ((byte >> n) & 1U) != 0; };
  const bool a = bit(0), b = bit(1), c = bit(2), d = bit(3), e = bit(4), f = bit(5), g = bit(6),
             h = bit(7);
  const int ones = a + b + c + d;
  const bool l04 = ones == 0, l13 = ones == 1, l22 = ones == 2, l40 = ones == 4;
  const bool k28 = control && !a && !b && c && d && e;
  const bool d24 = !a && !b && !c && d && e;

  const bool six[6] = {a,
                       (b && !l40) || l04,
                       l04 || c || d24,
                       d && !(a && b && c),
                       (e || l13) && !d24,
                       (l22 && !e) || (l13 && e && !d) || ((l04 || l40) && e) || k28};
  unsigned low = 0;
  for (unsigned i = 0; i < 6; ++i)
    if (six[i]) low |= 1U << i;
  const int six_ones = std::popcount(low);
  // As it stands it has too many ones for positive disparity, or too few for negative.
  const bool d7 = low == 0x07;
  if ((six_ones > 3 || d7) == positive && (six_ones != 3 || d7)) low ^= 0x3fU;
  if (six_ones != 3) positive = !positive;

  // Behind 11, 13, 14 at positive and 17, 18, 20 at negative disparity, .7 would make a run of
  // five.
  const bool last_two = ((low >> 4) & 1U) == ((low >> 5) & 1U);
  const bool run = last_two && ((low >> 5) & 1U) == (positive ? 0U : 1U);
  const bool seven = f && g && h;
  const bool alternative = seven && (control || (run && six_ones == 3));
  const bool four[4] = {f && !alternative, g || (!f && !h), h, (!h && g != f) || alternative};
  unsigned high = 0;
  for (unsigned i = 0; i < 4; ++i)
    if (four[i]) high |= 1U << i;
  const int four_ones = std::popcount(high);
  const bool d3 = high == 0x03;
  if (four_ones != 2 || d3) {
    if ((four_ones > 2 || d3) == positive) high ^= 0xfU;
  } else if (control && !positive) {
    high ^= 0xfU;
  }
  if (four_ones != 2) positive = !positive;
  return static_cast<std::uint16_t>(low | (high << 6));
}

}  // namespace ht::test
