// SPDX-License-Identifier: Apache-2.0
// The error-correcting code of memories and data paths, and the CRC over 16 bytes a cycle.
#include <Vcommon_cells_top.h>
#include <verilated.h>

#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cstddef>
#include <memory>
#include <random>
#include <span>

#include "verif/model/common/crc.hpp"
#include "verif/model/common/secded.hpp"

namespace {

using Flip = std::array<std::uint32_t, 3>;

Flip flips(std::initializer_list<unsigned> bits) {
  Flip f{};
  for (const unsigned b : bits) f[b / 32] ^= 1U << (b % 32);
  return f;
}

struct Secded {
  VerilatedContext context;
  std::unique_ptr<Vcommon_cells_top> dut = std::make_unique<Vcommon_cells_top>(&context);

  ~Secded() { dut->final(); }
  void clock() {
    dut->a_clk = 0;
    dut->eval();
    dut->a_clk = 1;
    dut->eval();
  }
  void apply(std::uint64_t data, const Flip& flip) {
    dut->secded_data = data;
    for (std::size_t i = 0; i < 3; ++i) dut->secded_flip[i] = flip[i];
    dut->eval();
  }
  bool restored(std::uint64_t data) const {
    return dut->secded_corrected == data &&
           dut->secded_corrected_check == ht::model::secded_check(data);
  }
};

}  // namespace

TEST_CASE("secded: check bits of every data bit, and of any data") {
  Secded cell;
  std::mt19937_64 random(1);
  for (unsigned bit = 0; bit < 64; ++bit) {
    cell.apply(std::uint64_t{1} << bit, {});
    CHECK(cell.dut->secded_check == ht::model::secded_check(std::uint64_t{1} << bit));
  }
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t data = random();
    cell.apply(data, {});
    REQUIRE(cell.dut->secded_check == ht::model::secded_check(data));
    REQUIRE(cell.restored(data));
    REQUIRE(cell.dut->secded_single == 0);
    REQUIRE(cell.dut->secded_uncorrectable == 0);
  }
}

TEST_CASE("secded: every single wrong bit is corrected, every pair noticed") {
  Secded cell;
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 8; ++trial) {
    const std::uint64_t data = trial == 0 ? 0 : trial == 1 ? ~std::uint64_t{0} : random();
    for (unsigned a = 0; a < 72; ++a) {
      cell.apply(data, flips({a}));
      REQUIRE(cell.restored(data));
      REQUIRE(cell.dut->secded_single == 1);
      REQUIRE(cell.dut->secded_uncorrectable == 0);
      for (unsigned b = 0; b < a; ++b) {
        cell.apply(data, flips({a, b}));
        REQUIRE(cell.dut->secded_single == 0);
        REQUIRE(cell.dut->secded_uncorrectable == 1);
      }
    }
  }
}

TEST_CASE("ram_small_secded: wrong bits of a short word, and those it does not have") {
  Secded cell;
  std::mt19937_64 random(4);
  const auto& dut = cell.dut;
  const auto coded = [](unsigned data) {
    return data | static_cast<unsigned>(ht::model::secded_check(data)) << 10;
  };
  const auto keep = [&](unsigned data, unsigned flip) {
    dut->ram_write_address = dut->ram_read_address = static_cast<unsigned char>(random() % 32);
    dut->coded_write = 1;
    dut->coded_write_data = static_cast<unsigned short>(data);
    dut->coded_flip = flip;
    cell.clock();
    dut->coded_write = 0;
    dut->ram_read = 1;
    cell.clock();
  };
  for (int trial = 0; trial < 8; ++trial) {
    const unsigned data = trial == 0 ? 0 : trial == 1 ? 0x3ff : random() & 0x3ffU;
    for (unsigned flip = 0; flip < 1U << 18; ++flip) {
      const int wrong = std::popcount(flip);
      if (wrong > 3) continue;
      keep(data, flip);
      REQUIRE((dut->coded_uncorrectable != 0) == (wrong > 1 && dut->coded_single == 0));
      REQUIRE(dut->clocked_data == dut->coded_data);
      REQUIRE(dut->clocked_single == dut->coded_single);
      REQUIRE(dut->clocked_uncorrectable == dut->coded_uncorrectable);
      if (wrong < 2) REQUIRE(dut->coded_data == data);
      if (wrong < 3) REQUIRE((dut->coded_single != 0) == (wrong == 1));
      const auto at_once = dut->coded_data;
      cell.clock();
      REQUIRE(dut->staged_data == at_once);
      REQUIRE(dut->staged_single == dut->coded_single);
      REQUIRE(dut->staged_uncorrectable == dut->coded_uncorrectable);
      // Three may look like one, but of a bit that is there.
      if (dut->coded_single != 0) {
        REQUIRE(std::popcount(coded(dut->coded_data) ^ coded(data) ^ flip) == 1);
      }
    }
    // nobody looks: nothing is found
    keep(data, 3);
    dut->ram_read = 0;
    dut->eval();
    REQUIRE(dut->coded_uncorrectable == 0);
    REQUIRE(dut->clocked_uncorrectable == 0);
  }
}

TEST_CASE(
    "ram_word_secded, ram_dual_clock_secded: any one or two wrong bits of a word of 64 bits") {
  Secded cell;
  std::mt19937_64 random(5);
  const auto& dut = cell.dut;
  for (int trial = 0; trial < 4; ++trial) {
    const std::uint64_t data = trial == 0 ? 0 : trial == 1 ? ~std::uint64_t{0} : random();
    for (unsigned a = 0; a < 72; ++a)
      for (unsigned b = 0; b <= a; ++b) {
        dut->ram_write_address = dut->ram_read_address = static_cast<unsigned char>(random() % 32);
        dut->coded_write = 1;
        cell.apply(data, a == b ? flips({a}) : flips({a, b}));
        cell.clock();
        dut->coded_write = 0;
        dut->ram_read = 1;
        cell.clock();
        REQUIRE((dut->word_single != 0) == (a == b));
        REQUIRE((dut->word_uncorrectable != 0) == (a != b));
        REQUIRE((dut->clocked_word_single != 0) == (a == b));
        REQUIRE((dut->clocked_word_uncorrectable != 0) == (a != b));
        if (a == b) REQUIRE(dut->word_data == data);
        if (a == b) REQUIRE(dut->clocked_word == data);
        dut->ram_read = 0;
        dut->eval();
        REQUIRE(dut->word_uncorrectable + dut->word_single == 0);
        // With a stage, whether it is looked at or not.
        cell.clock();
        REQUIRE((dut->staged_word_single != 0) == (a == b));
        REQUIRE((dut->staged_word_uncorrectable != 0) == (a != b));
        REQUIRE((dut->staged_clocked_word_single != 0) == (a == b));
        REQUIRE((dut->staged_clocked_word_uncorrectable != 0) == (a != b));
        if (a == b) REQUIRE(dut->staged_word == data);
        if (a == b) REQUIRE(dut->staged_clocked_word == data);
        // A word without a wrong bit.
        dut->coded_write = 1;
        cell.apply(data, {});
        cell.clock();
        dut->coded_write = 0;
        dut->ram_read = 1;
        cell.clock();
        REQUIRE(dut->word_single + dut->clocked_word_single == 0);
        cell.clock();
        REQUIRE(dut->staged_word == data);
        REQUIRE(dut->staged_clocked_word == data);
        REQUIRE(dut->staged_word_single + dut->staged_clocked_word_single == 0);
        REQUIRE(dut->staged_word_uncorrectable + dut->staged_clocked_word_uncorrectable == 0);
      }
  }
}

TEST_CASE("register_parity: a wrong bit is seen until the next value is stored") {
  Secded cell;
  for (unsigned value = 0; value < 256; ++value) {
    for (const bool flip : {false, true}) {
      cell.dut->parity_next = static_cast<unsigned char>(value);
      cell.dut->parity_flip = flip ? 1 : 0;
      cell.clock();
      REQUIRE(cell.dut->parity_value == (flip ? value ^ 1U : value));
      REQUIRE((cell.dut->parity_wrong != 0) == flip);
    }
  }
}

TEST_CASE("crc32c_beat: 12 and 16 bytes at once") {
  Secded cell;
  std::mt19937_64 random(3);
  std::uint32_t before = 0xffffffff;
  std::vector<std::byte> bytes;
  for (int i = 0; i < 200; ++i) {
    cell.dut->beat_crc = before;
    for (std::size_t w = 0; w < 4; ++w) {
      cell.dut->beat_data[w] = static_cast<std::uint32_t>(random());
      for (unsigned b = 0; b < 4; ++b)
        bytes.push_back(static_cast<std::byte>(cell.dut->beat_data[w] >> (8 * b)));
    }
    cell.dut->eval();
    const std::span all(bytes);
    REQUIRE(~cell.dut->beat_after_12 == ht::model::crc32c(all.first(all.size() - 4)));
    REQUIRE(~cell.dut->beat_after_16 == ht::model::crc32c(all));
    before = cell.dut->beat_after_16;
  }
}
