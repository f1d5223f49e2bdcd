// SPDX-License-Identifier: Apache-2.0
// The line code by itself, character by character: against equations without a table, and against
// the model's tables.
#include <Vlane_codes_top.h>
#include <verilated.h>

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

#include "tests/lane/code_equations.hpp"
#include "tests/support/power_on.hpp"
#include "verif/model/common/code_8b10b.hpp"
#include "verif/model/lane/lane_wire_fields.hpp"

namespace model = ht::model::code_8b10b;
using ht::test::code_by_equations;

namespace {

struct Character {
  std::uint8_t byte;
  bool control;
  bool operator==(const Character&) const = default;
};

/// 256 data characters and the twelve of control.
std::vector<Character> all_characters() {
  std::vector<Character> all;
  for (unsigned byte = 0; byte < 256; ++byte)
    all.push_back({static_cast<std::uint8_t>(byte), false});
  for (unsigned byte : {0x1c, 0x3c, 0x5c, 0x7c, 0x9c, 0xbc, 0xdc, 0xfc, 0xf7, 0xfb, 0xfd, 0xfe}) {
    all.push_back({static_cast<std::uint8_t>(byte), true});
  }
  return all;
}

struct Codes {
  std::unique_ptr<VerilatedContext> context = ht::test::power_on();
  Vlane_codes_top dut{context.get()};
  Codes() {
    dut.rst = 1;
    dut.en = 0;
    tick();
    dut.rst = 0;
  }
  ~Codes() { dut.final(); }
  void tick() {
    dut.clk = 0;
    dut.eval();
    dut.clk = 1;
    dut.eval();
  }
};

namespace wire = ht::model::lane::wire;
constexpr unsigned kK28_7 = wire::unused::kK287;

}  // namespace

TEST_CASE(
    "encoder: all 268 characters at both disparities are what the equations and the tables say") {
  Codes codes;
  for (const Character c : all_characters()) {
    for (const bool before : {false, true}) {
      INFO((c.control ? "K " : "D ") << int{c.byte} << (before ? " +" : " -"));
      codes.dut.data = c.byte;
      codes.dut.control = c.control;
      codes.dut.positive = before;
      codes.dut.eval();
      bool by_equations = before, by_table = before;
      CHECK(codes.dut.code == code_by_equations(c.byte, c.control, by_equations));
      CHECK(codes.dut.code == model::encode(c.byte, c.control, by_table));
      CHECK((codes.dut.inverts != 0) == (by_equations != before));
      CHECK(by_equations == by_table);
    }
  }
}

TEST_CASE("decoder: all 1024 groups at both disparities, by inverting the equations") {
  std::map<std::pair<unsigned, bool>, Character> meaning;
  for (const Character c : all_characters()) {
    for (const bool before : {false, true}) {
      bool disparity = before;
      const bool is_new =
          meaning
              .emplace(std::pair{unsigned{code_by_equations(c.byte, c.control, disparity)}, before},
                       c)
              .second;
      REQUIRE(is_new);
    }
  }
  Codes codes;
  unsigned invalid = 0, other = 0;
  for (unsigned group = 0; group < 1024; ++group) {
    for (const bool before : {false, true}) {
      INFO("group " << group << (before ? " +" : " -"));
      codes.dut.group = static_cast<std::uint16_t>(group);
      codes.dut.group_positive = before;
      codes.dut.eval();
      const auto found = meaning.find({group, before});
      const bool elsewhere = meaning.contains({group, !before});
      if (found != meaning.end()) {
        CHECK(Character{codes.dut.group_data, codes.dut.group_control != 0} == found->second);
      }
      CHECK((codes.dut.group_invalid != 0) == (found == meaning.end() && !elsewhere));
      CHECK((codes.dut.group_disparity != 0) == (found == meaning.end() && elsewhere));
      invalid += codes.dut.group_invalid;
      other += codes.dut.group_disparity;
      bool after = before;
      const auto d = model::decode(static_cast<std::uint16_t>(group), after);
      CHECK((codes.dut.group_after != 0) == after);
      CHECK(d.error == (codes.dut.group_invalid != 0 || codes.dut.group_disparity != 0));
    }
  }
  // 268 characters of which some have one group for both disparities
  CHECK(invalid > 0);
  CHECK(other > 0);
}

// Widmer and Franaszek: at most five equal bits in a row, a digital sum that stays within six
// values, and a comma that stands nowhere but in three characters of control.
TEST_CASE("line: run length, disparity and commas hold for every pair of characters") {
  Codes codes;
  const auto encode = [&](Character c, bool& positive) {
    codes.dut.data = c.byte;
    codes.dut.control = c.control;
    codes.dut.positive = positive;
    codes.dut.eval();
    positive = positive != (codes.dut.inverts != 0);
    return unsigned{codes.dut.code};
  };
  for (const bool start : {false, true}) {
    for (const Character first : all_characters()) {
      if (first.control && first.byte == kK28_7) continue;
      bool middle = start;
      const unsigned low = encode(first, middle);
      for (const Character second : all_characters()) {
        if (second.control && second.byte == kK28_7) continue;
        bool end = middle;
        const unsigned line = low | (encode(second, end) << 10);
        int sum = start ? 1 : -1, run = 0, longest = 0;
        bool good = true, last = false;
        for (unsigned i = 0; i < 20; ++i) {
          const bool bit = ((line >> i) & 1U) != 0;
          run = i > 0 && bit == last ? run + 1 : 1;
          last = bit;
          longest = std::max(longest, run);
          sum += bit ? 1 : -1;
          good = good && sum >= -3 && sum <= 3;
          if (i == 9) good = good && sum == (middle ? 1 : -1);
          if (i >= 6) {
            const unsigned seven = (line >> (i - 6)) & 0x7fU;
            const unsigned at = i - 6;
            const Character& in = at < 10 ? first : second;
            const bool comma = seven == 0x7c || seven == 0x03;
            const bool may = in.control &&
                             (in.byte == wire::own::kIdentify || in.byte == wire::own::kComma) &&
                             at % 10 == 0;
            good = good && comma == may;
          }
        }
        good = good && longest <= 5 && sum == (end ? 1 : -1);
        if (!good)
          FAIL("characters " << int{first.byte} << " and " << int{second.byte} << ", longest run "
                             << longest);
      }
    }
  }
}

TEST_CASE(
    "words of four characters: the disparity goes from one to the next, and the decoder follows") {
  Codes codes;
  std::mt19937_64 random(ht::test::seed_of(1));
  const auto characters = all_characters();
  bool positive = false;
  std::vector<std::pair<std::uint32_t, unsigned>> sent;
  for (unsigned n = 0; n < 20000; ++n) {
    std::uint32_t word = 0;
    unsigned control = 0;
    std::uint64_t code = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const Character c = characters[random() % characters.size()];
      word |= std::uint32_t{c.byte} << 8 * i;
      control |= (c.control ? 1U : 0U) << i;
      code |= std::uint64_t{code_by_equations(c.byte, c.control, positive)} << 10 * i;
    }
    codes.dut.word = word;
    codes.dut.word_control = static_cast<unsigned char>(control);
    codes.dut.en = 1;
    codes.tick();
    REQUIRE(codes.dut.word_code == code);
    sent.emplace_back(word, control);
    if (n > 0) {
      REQUIRE(codes.dut.back_bad == 0);
      REQUIRE(codes.dut.back == sent[n - 1].first);
      REQUIRE(codes.dut.back_control == sent[n - 1].second);
    }
    // A cycle without `en` changes nothing.
    codes.dut.en = 0;
    codes.dut.word = ~word;
    codes.tick();
    REQUIRE(codes.dut.word_code == code);
  }
}

namespace {

/// `count` bits as they are sent.
std::vector<bool> sequence(Codes& codes, bool prbs31, std::uint32_t state, unsigned count) {
  std::vector<bool> bits;
  codes.dut.prbs31 = prbs31;
  codes.dut.state = state;
  while (bits.size() < count) {
    codes.dut.eval();
    for (unsigned i = 0; i < 40; ++i) bits.push_back(((codes.dut.bits >> i) & 1U) != 0);
    codes.dut.state = codes.dut.next;
  }
  bits.resize(count);
  return bits;
}

unsigned longest_run(const std::vector<bool>& bits, bool value) {
  unsigned longest = 0, run = 0;
  for (const bool bit : bits) {
    run = bit == value ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

// What a maximal sequence of length 2^7-1 has, whichever way it is made: its period, 64 ones, runs
// of each length as often as they should be.
TEST_CASE("PRBS-7: period 127, 64 ones, one run of seven ones, x^7 + x^6 + 1") {
  Codes codes;
  const auto bits = sequence(codes, false, 0x7f, 3 * 127);
  for (unsigned i = 0; i + 127 < bits.size(); ++i) REQUIRE(bits[i] == bits[i + 127]);
  // by the square of the polynomial, which a wrong tap does not satisfy
  for (unsigned i = 14; i < bits.size(); ++i) REQUIRE(bits[i] == (bits[i - 14] != bits[i - 12]));
  std::vector<bool> period(bits.begin(), bits.begin() + 127);
  CHECK(std::count(period.begin(), period.end(), true) == 64);
  CHECK(longest_run(bits, true) == 7);
  CHECK(longest_run(bits, false) == 6);
  // every state but zero once
  std::vector<bool> seen(128);
  for (unsigned i = 0; i < 127; ++i) {
    unsigned state = 0;
    for (unsigned k = 0; k < 7; ++k) state = state << 1 | (bits[i + k] ? 1U : 0U);
    CHECK(state != 0);
    CHECK(!seen[state]);
    seen[state] = true;
  }
  // the sequence behind seven ones, as tables of test equipment list it: 000000 1000001 1000010
  // 1000111 ...
  const std::string start =
      "00000010000011000010100011110010001011001110101001111101000011100010010011011010110111101100"
      "01101001011101110011001010101111111";
  REQUIRE(start.size() == 127);
  for (unsigned i = 0; i < 127; ++i) CHECK(bits[i] == (start[i] == '1'));
}

// ITU-T O.150: 31 stages, the 28th and the 31st added, the signal inverted.
TEST_CASE("PRBS-31: x^31 + x^28 + 1, inverted") {
  Codes codes;
  const auto bits = sequence(codes, true, 0x7fffffff, 40000);
  // Of the inverted sequence; by the polynomial's eighth power, which a wrong tap does not satisfy
  // either.
  for (unsigned i = 31; i < bits.size(); ++i) REQUIRE(!bits[i] == (!bits[i - 31] != !bits[i - 28]));
  for (unsigned i = 248; i < bits.size(); ++i)
    REQUIRE(!bits[i] == (!bits[i - 248] != !bits[i - 224]));
  // Behind 31 ones come 28 zeros and three ones, all inverted on the line.
  for (unsigned i = 0; i < 31; ++i) CHECK(bits[i] == (i < 28));
  const auto ones = std::count(bits.begin(), bits.end(), true);
  CHECK(ones > 19400);
  CHECK(ones < 20600);
}
