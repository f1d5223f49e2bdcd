// SPDX-License-Identifier: Apache-2.0
// Cells of rtl/common beside those between clocks (crossings_test.cpp).
#include <random>

#include "tests/rtl/cells.hpp"
#include "verif/model/common/crc.hpp"

using ht::test::Cells;
using ht::test::over_clocks;

TEST_CASE("link_timer: a tick every 64 cycles from the first one on, and the end") {
  for (const std::uint32_t cycles : {0U, 1U, 2U, 63U, 64U, 65U, 200U}) {
    INFO(cycles << " cycles");
    Cells c(4800, 4800, 0);
    std::mt19937 random(cycles);
    std::uint32_t past = 0;
    unsigned ticks = 0;
    unsigned ends = 0;
    c.dut->timer_cycles = cycles;
    c.dut->timer_restart = 1;
    c.before_a = [&] {
      const bool runs = c.dut->timer_run != 0 && c.dut->timer_restart == 0;
      REQUIRE((c.dut->timer_tick != 0) == (runs && past % 64 == 0));
      REQUIRE((c.dut->timer_expired != 0) == (runs && past == cycles));
      ticks += c.dut->timer_tick;
      ends += c.dut->timer_expired;
      if (c.dut->timer_restart != 0)
        past = 0;
      else if (runs && past != cycles)
        ++past;
    };
    c.after_a = [&] {
      c.dut->timer_restart = random() % 300 == 0;
      c.dut->timer_run = random() % 8 != 0;
    };
    c.run(5000);
    REQUIRE(ticks > 0);
    REQUIRE(ends > 0);
  }
}

TEST_CASE("ram_dual_clock and ram_small: what was written is read") {
  over_clocks([](Cells& c) {
    std::mt19937 random(3);
    std::array<std::uint32_t, 32> content{};
    c.after_a = [&] {
      c.dut->ram_write = 1;
      c.dut->ram_write_address = static_cast<unsigned char>(random() % 32);
      c.dut->ram_write_data = static_cast<std::uint32_t>(random());
    };
    c.before_a = [&] {
      if (c.dut->ram_write != 0) content.at(c.dut->ram_write_address) = c.dut->ram_write_data;
    };
    c.run(400);
    c.after_a = [&] { c.dut->ram_write = 0; };
    c.run(2);
    std::uint32_t kept = 0;
    for (unsigned n = 0; n < 100; ++n) {
      const auto address = static_cast<unsigned char>(random() % 32);
      c.dut->ram_read_address = address;
      c.dut->ram_read = n % 3 != 0 ? 1 : 0;
      const bool reads = c.dut->ram_read != 0;
      c.dut->eval();
      REQUIRE(c.dut->ram_small_data == content.at(address));
      const auto from = c.cycles_b;
      while (c.cycles_b == from) c.step();
      if (reads) kept = content.at(address);
      if (n > 3) REQUIRE(c.dut->ram_data == kept);
    }
  });
}

TEST_CASE("arbiter_round_robin: one grant, to a requester, and everybody's turn comes") {
  Cells c(4800, 4000, 0);
  std::mt19937 random(4);
  for (const unsigned density : {1U, 2U, 5U}) {
    std::array<unsigned, 8> waited{};
    unsigned request = 0;
    for (unsigned n = 0; n < 20000; ++n) {
      // requests stay until granted
      for (unsigned i = 0; i < 8; ++i) request |= random() % (4 * density) == 0 ? 1U << i : 0U;
      c.dut->arbiter_request = static_cast<unsigned char>(request);
      c.dut->arbiter_take = random() % 4 != 0 ? 1 : 0;
      const auto from = c.cycles_a;
      unsigned grant = 0;
      unsigned grant_3 = 0;
      c.before_a = [&] {
        grant = c.dut->arbiter_grant;
        grant_3 = c.dut->arbiter_grant_3;
      };
      while (c.cycles_a == from) c.step();
      REQUIRE((grant & (grant - 1)) == 0);
      REQUIRE((grant & ~request) == 0);
      REQUIRE((grant != 0) == (request != 0));
      REQUIRE((grant_3 & (grant_3 - 1)) == 0);
      REQUIRE((grant_3 & ~(request & 7U)) == 0);
      REQUIRE((grant_3 != 0) == ((request & 7U) != 0));
      if (c.dut->arbiter_take == 0) continue;
      for (unsigned i = 0; i < 8; ++i) {
        if ((request >> i & 1U) == 0 || (grant >> i & 1U) != 0) {
          waited.at(i) = 0;
        } else if (grant != 0) {
          REQUIRE(++waited.at(i) < 8);
        }
      }
      request &= ~grant;
    }
  }
}

TEST_CASE("crc32c: the model's CRC, over frames of any length") {
  Cells c(4800, 4000, 0);
  std::mt19937 random(5);
  const auto clock = [&](bool en, bool first, std::uint32_t data) {
    c.dut->crc_en = en ? 1 : 0;
    c.dut->crc_first = first ? 1 : 0;
    c.dut->crc_data = data;
    const auto from = c.cycles_a;
    while (c.cycles_a == from) c.step();
  };
  for (unsigned trial = 0; trial < 200; ++trial) {
    ht::model::Crc32c model;
    const auto words = static_cast<unsigned>(1 + random() % 40);
    for (unsigned n = 0; n < words; ++n) {
      const auto data = static_cast<std::uint32_t>(random());
      clock(true, n == 0, data);
      for (unsigned lane = n == 0 ? 1 : 0; lane < 4; ++lane) {
        model.add(std::byte(data >> (8 * lane) & 0xffU));
      }
      if (random() % 4 == 0) clock(false, random() % 2 == 0, static_cast<std::uint32_t>(random()));
      REQUIRE(c.dut->crc == model.value());
    }
  }
}

TEST_CASE("crc16_byte: the model's CRC of every byte") {
  Cells c(4800, 4000, 0);
  for (unsigned n = 0; n < 256; ++n) {
    c.dut->crc16_data = static_cast<unsigned char>(n);
    c.dut->eval();
    REQUIRE(c.dut->crc16 == ht::model::command_crc16(static_cast<std::uint8_t>(n)));
  }
}
