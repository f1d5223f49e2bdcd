// SPDX-License-Identifier: Apache-2.0
#include "verif/model/common/code_8b10b.hpp"

#include <array>
#include <bit>
#include <stdexcept>
#include <string>

namespace ht::model::code_8b10b {
namespace {

/// IEEE 802.3 table 36-1a to e, split in its sub-blocks: abcdei of D0 to D31 at negative running
/// disparity, then K28. Unbalanced ones, and D7, are inverted at positive disparity.
constexpr std::array<const char*, 33> kSix = {
    "100111", "011101", "101101", "110001", "110101", "101001", "011001", "111000", "111001",
    "100101", "010101", "110100", "001101", "101100", "011100", "010111", "011011", "100011",
    "010011", "110010", "001011", "101010", "011010", "111010", "110011", "100110", "010110",
    "110110", "001110", "101110", "011110", "101011", "001111"};
/// fghj of .0 to .7 at negative disparity, then the alternative .7, which avoids runs of five
/// across the border; the unbalanced ones and .3 are inverted at positive disparity.
constexpr std::array<const char*, 9> kFour = {"1011", "1001", "0101", "1100", "1101",
                                              "1010", "0110", "1110", "0111"};
/// fghj of the K codes: all of them are inverted at positive disparity.
constexpr std::array<const char*, 8> kFourControl = {"1011", "0110", "1010", "1100",
                                                     "1101", "0101", "1001", "0111"};

/// First character = bit 0.
constexpr unsigned bits(const char* text) {
  unsigned v = 0;
  for (unsigned i = 0; text[i] != '\0'; ++i) v |= (text[i] == '1' ? 1U : 0U) << i;
  return v;
}

/// Disparity after a sub-block of `n` bits, by 36.2.4.4.
constexpr bool disparity_after(unsigned block, unsigned n, bool positive) {
  const auto ones = static_cast<unsigned>(std::popcount(block));
  const unsigned half = n / 2;
  // 000111 and 0011, the later bits ones, end positive; 111000 and 1100 end negative.
  if (ones > half || block == ((1U << half) - 1) << half) return true;
  if (ones < half || block == (1U << half) - 1) return false;
  return positive;
}

constexpr bool is_k(unsigned byte) {
  const unsigned x = byte & 31U, y = byte >> 5;
  return x == 28 || (y == 7 && (x == 23 || x == 27 || x == 29 || x == 30));
}

constexpr unsigned encode_bits(unsigned byte, bool control, bool& positive) {
  const unsigned x = byte & 31U, y = byte >> 5;
  unsigned six = bits(kSix[control && x == 28 ? 32 : x]);
  const bool six_pairs = std::popcount(six) != 3 || (!control && x == 7);
  if (positive && six_pairs) six ^= 0x3fU;
  positive = disparity_after(six, 6, positive);
  unsigned four = 0;
  if (control) {
    four = bits(kFourControl[y]);
    if (positive) four ^= 0xfU;
  } else {
    const bool alternative =
        y == 7 && (positive ? x == 11 || x == 13 || x == 14 : x == 17 || x == 18 || x == 20);
    four = bits(kFour[alternative ? 8 : y]);
    if (positive && (std::popcount(four) != 2 || y == 3)) four ^= 0xfU;
  }
  positive = disparity_after(four, 4, positive);
  return six | (four << 6);
}

struct Entry {
  std::uint8_t byte = 0;
  bool control = false, valid = false;
};
using DecodeTable = std::array<std::array<Entry, 1024>, 2>;

constexpr DecodeTable make_decode_table() {
  DecodeTable table{};
  for (unsigned positive = 0; positive < 2; ++positive) {
    for (unsigned code = 0; code < 512; ++code) {
      const unsigned byte = code & 255U;
      const bool control = code > 255;
      if (control && !is_k(byte)) continue;
      bool disparity = positive != 0;
      Entry& e = table[positive][encode_bits(byte, control, disparity)];
      if (e.valid) throw std::logic_error("8b/10b: two codes share a group");
      e = {static_cast<std::uint8_t>(byte), control, true};
    }
  }
  return table;
}

/// Made when the library is loaded: too long for constant evaluation by default limits.
const DecodeTable kDecode = make_decode_table();

}  // namespace

bool is_control_code(std::uint8_t byte) {
  return is_k(byte);
}

std::uint16_t encode(std::uint8_t byte, bool control, bool& positive) {
  if (control && !is_k(byte)) {
    throw std::invalid_argument("8b/10b: " + std::to_string(byte) + " is no K code");
  }
  return static_cast<std::uint16_t>(encode_bits(byte, control, positive));
}

Decoded decode(std::uint16_t group, bool& positive) {
  const Entry& e = kDecode[positive ? 1 : 0][group & 1023U];
  positive = disparity_after(group & 63U, 6, positive);
  positive = disparity_after((group >> 6) & 15U, 4, positive);
  return {e.byte, e.control, !e.valid};
}

}  // namespace ht::model::code_8b10b
