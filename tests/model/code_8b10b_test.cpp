// SPDX-License-Identifier: Apache-2.0
#include "verif/model/common/code_8b10b.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

namespace code = ht::model::code_8b10b;

namespace {

struct Code {
  std::uint8_t byte;
  bool control;
};

std::vector<Code> all_codes(bool with_k28_7 = true) {
  std::vector<Code> codes;
  for (unsigned b = 0; b < 256; ++b) codes.push_back({static_cast<std::uint8_t>(b), false});
  for (unsigned b = 0; b < 256; ++b) {
    const auto byte = static_cast<std::uint8_t>(b);
    if (code::is_control_code(byte) && (with_k28_7 || b != 0xfc)) codes.push_back({byte, true});
  }
  return codes;
}

std::string text(std::uint16_t group) {
  std::string s;
  for (int i = 0; i < 10; ++i) s += ((group >> i) & 1) != 0 ? '1' : '0';
  return s.insert(6, " ");
}

std::string encoded(unsigned x, unsigned y, bool control, bool positive) {
  return text(code::encode(static_cast<std::uint8_t>(x | (y << 5)), control, positive));
}

}  // namespace

TEST_CASE("8b/10b: published code words") {
  // IEEE 802.3-2018 tables 36-1 and 36-2, both columns.
  struct Row {
    unsigned x, y;
    bool control;
    const char *minus, *plus;
  };
  const std::vector<Row> rows = {
      {0, 0, false, "100111 0100", "011000 1011"},  {1, 0, false, "011101 0100", "100010 1011"},
      {3, 0, false, "110001 1011", "110001 0100"},  {7, 0, false, "111000 1011", "000111 0100"},
      {31, 0, false, "101011 0100", "010100 1011"}, {21, 5, false, "101010 1010", "101010 1010"},
      {10, 2, false, "010101 0101", "010101 0101"}, {2, 2, false, "101101 0101", "010010 0101"},
      {5, 6, false, "101001 0110", "101001 0110"},  {16, 2, false, "011011 0101", "100100 0101"},
      {17, 7, false, "100011 0111", "100011 0001"}, {18, 7, false, "010011 0111", "010011 0001"},
      {20, 7, false, "001011 0111", "001011 0001"}, {11, 7, false, "110100 1110", "110100 1000"},
      {13, 7, false, "101100 1110", "101100 1000"}, {14, 7, false, "011100 1110", "011100 1000"},
      {0, 7, false, "100111 0001", "011000 1110"},  {24, 3, false, "110011 0011", "001100 1100"},
      {28, 0, true, "001111 0100", "110000 1011"},  {28, 1, true, "001111 1001", "110000 0110"},
      {28, 2, true, "001111 0101", "110000 1010"},  {28, 3, true, "001111 0011", "110000 1100"},
      {28, 4, true, "001111 0010", "110000 1101"},  {28, 5, true, "001111 1010", "110000 0101"},
      {28, 6, true, "001111 0110", "110000 1001"},  {28, 7, true, "001111 1000", "110000 0111"},
      {23, 7, true, "111010 1000", "000101 0111"},  {27, 7, true, "110110 1000", "001001 0111"},
      {29, 7, true, "101110 1000", "010001 0111"},  {30, 7, true, "011110 1000", "100001 0111"}};
  for (const Row& r : rows) {
    INFO((r.control ? "K" : "D") << r.x << "." << r.y);
    CHECK(encoded(r.x, r.y, r.control, false) == r.minus);
    CHECK(encoded(r.x, r.y, r.control, true) == r.plus);
  }
}

TEST_CASE("8b/10b: all codes at both disparities come back, all else is an error") {
  CHECK(all_codes().size() == 268);
  for (const bool before : {false, true}) {
    std::set<std::uint16_t> used;
    for (const Code& c : all_codes()) {
      bool sent = before, received = before;
      const std::uint16_t group = code::encode(c.byte, c.control, sent);
      REQUIRE(group < 1024);
      REQUIRE(used.insert(group).second);
      const int ones = std::popcount(group);
      // Balanced, or two more of what is missing; the disparity is the running sum itself.
      REQUIRE((ones == 5 || ones == (before ? 4 : 6)));
      REQUIRE(sent == (ones == 5 ? before : !before));
      REQUIRE(code::inverts_disparity(c.byte, c.control) == (ones != 5));
      REQUIRE(code::decode(group, received) == code::Decoded{c.byte, c.control, false});
      REQUIRE(received == sent);
    }
    for (std::uint16_t group = 0; group < 1024; ++group) {
      bool received = before;
      REQUIRE(code::decode(group, received).error == (used.count(group) == 0));
    }
  }
  bool positive = false;
  CHECK_THROWS_AS(code::encode(0x07, true, positive), std::invalid_argument);
}

TEST_CASE("8b/10b: no run is longer than five, and the digital sum stays within three") {
  // K28.7 is left out: the standard restricts it to diagnostics, as it can make false commas.
  const auto codes = all_codes(false);
  int longest = 0, least = 0, most = 0;
  for (const bool before : {false, true}) {
    for (const Code& first : codes) {
      for (const Code& second : codes) {
        bool positive = before;
        const unsigned a = code::encode(first.byte, first.control, positive);
        const unsigned line =
            a | (unsigned{code::encode(second.byte, second.control, positive)} << 10);
        int run = 0, sum = before ? 1 : -1;
        for (int i = 0; i < 20; ++i) {
          const unsigned bit = (line >> i) & 1U;
          run = i > 0 && bit == ((line >> (i - 1)) & 1U) ? run + 1 : 1;
          longest = std::max(longest, run);
          sum += bit != 0 ? 1 : -1;
          least = std::min(least, sum);
          most = std::max(most, sum);
        }
        REQUIRE(sum == (positive ? 1 : -1));  // no direct current
      }
    }
  }
  CHECK(longest == 5);
  CHECK(least == -3);
  CHECK(most == 3);
}

TEST_CASE("8b/10b: the receiver's disparity follows what it received, right or wrong") {
  // A 6-bit block with more ones ends positive, 000111 too; likewise the 4-bit block (36.2.4.4).
  bool positive = false;
  code::decode(0x3ff, positive);
  CHECK(positive);
  code::decode(0, positive);
  CHECK_FALSE(positive);
  code::decode(0b1010'111000, positive);  // as bits j..a: abcdei = 000111, fghj = 0101
  CHECK(positive);
  code::decode(0b0011'010101, positive);  // fghj = 1100 ends negative
  CHECK_FALSE(positive);
  code::decode(0b0101'010101, positive);  // balanced and unremarkable: as before
  CHECK_FALSE(positive);
}
