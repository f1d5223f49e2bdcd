// SPDX-License-Identifier: Apache-2.0
// Cells of rtl/common between two clocks, over many ratios and phases of these.
#include <deque>
#include <random>
#include <set>

#include "tests/rtl/cells.hpp"

using ht::test::Cells;
using ht::test::over_clocks;

TEST_CASE("cdc_bits: levels arrive after one to two cycles, by chance after three") {
  unsigned in_three = 0, in_all = 0;
  over_clocks([&](Cells& c) {
    for (unsigned n = 0; n < 20; ++n) {
      const auto value = static_cast<unsigned char>(n * 7 % 16);
      c.before_a = nullptr;
      c.after_a = [&] { c.dut->bits_a = value; };
      while (c.dut->bits_a != value) c.step();
      c.after_a = nullptr;
      const auto from = c.cycles_b;
      const auto old = c.dut->bits_b;
      while (c.dut->bits_b != value) {
        REQUIRE(c.dut->bits_b == old);
        REQUIRE(c.cycles_b - from < 2 + c.late);
        c.step();
      }
      REQUIRE((old == value || c.cycles_b - from >= 1));
      if (c.late > 0) ++in_all;
      if (c.cycles_b - from == 3) ++in_three;
    }
  });
  // Where nothing is late a change takes two cycles and no more; about half of all are late, which
  // makes it three, but where an edge came at once.
  CHECK(in_three > in_all / 8);
  CHECK(in_three < 3 * in_all / 4);
}

TEST_CASE("cdc_bits: levels come out of a reset with 0, and are there after two cycles") {
  over_clocks([](Cells& c) {
    c.dut->bits_a = 0xF;
    c.run(6);
    c.dut->b_rst = 1;
    c.run(4);
    REQUIRE(c.dut->bits_b == 0);
    c.dut->b_rst = 0;
    const auto from = c.cycles_b;
    while (c.dut->bits_b != 0xF) {
      REQUIRE(c.dut->bits_b == 0);
      REQUIRE(c.cycles_b - from < 2 + c.late);
      c.step();
    }
    REQUIRE(c.cycles_b - from >= 2);
  });
}

TEST_CASE("cdc_bits: a reset is felt with its first edge, whatever the levels are") {
  over_clocks([](Cells& c) {
    c.dut->bits_a = 0xF;
    c.run(6);
    REQUIRE(c.dut->bits_b == 0xF);
    c.dut->b_rst = 1;
    const auto from = c.cycles_b;
    while (c.cycles_b == from) c.step();
    REQUIRE(c.dut->bits_b == 0);
    c.dut->b_rst = 0;
    // Nothing of what was before is left between the two.
    while (c.cycles_b == from + 1) c.step();
    REQUIRE(c.dut->bits_b == 0);
  });
}

TEST_CASE("cdc_reset: on at once, off after two to three edges") {
  Cells c(4800, 4000, 0);
  c.dut->async_rst = 1;
  c.dut->eval();
  CHECK(c.dut->reset_b == 1);  // without any clock edge
  c.run(5);
  CHECK(c.dut->reset_b == 1);
  c.dut->async_rst = 0;
  c.dut->eval();
  const auto from = c.cycles_b;
  while (c.dut->reset_b != 0) c.step();
  CHECK(c.cycles_b - from == 3);
  c.run(5);
  CHECK(c.dut->reset_b == 0);
}

TEST_CASE(
    "cdc_counter: the reader sees every number the writer had, in order, late by two or three") {
  over_clocks([](Cells& c) {
    std::mt19937 random(1);
    std::deque<unsigned> past;  // numbers the writer had at each edge of b, newest last
    unsigned steps = 0;
    unsigned seen = 0;  // as many as the reader knows of, unwrapped
    c.after_a = [&] { c.dut->count_step = random() % 3 != 0 && steps - seen < 30 ? 1 : 0; };
    c.before_a = [&] { steps += c.dut->count_step; };
    c.before_b = [&] { past.push_back(steps); };
    c.after_b = [&] {
      const unsigned ahead = (c.dut->count_b - seen) & 31U;
      seen += ahead;
      REQUIRE(seen <= steps);
      // what was there two edges ago must be seen by now, or three
      if (past.size() > 3) REQUIRE(seen >= past[past.size() - 3 - c.late]);
    };
    c.run(500);
    REQUIRE(steps > 100);
    c.after_a = [&] { c.dut->count_step = 0; };
    c.run(10);
    REQUIRE(seen == steps);
    REQUIRE(c.dut->count_a == steps % 32);
  });
}

TEST_CASE("cdc_counter: one bit at a time crosses") {
  // Whatever mixture of old and new bits the first flip-flops catch, it is the old or the new
  // number, if what crosses changes in one bit.
  Cells c(4800, 4000, 0);
  unsigned before = c.dut->count_crossing;
  unsigned changes = 0;
  std::set<unsigned> codes;
  c.after_a = [&] {
    c.dut->count_step = c.cycles_a % 3 != 0 ? 1 : 0;
    const unsigned difference = c.dut->count_crossing ^ before;
    REQUIRE((difference & (difference - 1)) == 0);
    changes += difference != 0 ? 1 : 0;
    before = c.dut->count_crossing;
    codes.insert(before);
  };
  c.run(100);
  CHECK(changes > 60);
  CHECK(codes.size() == 32);
}

TEST_CASE("cdc_pulse: as many pulses come out as went in") {
  over_clocks([](Cells& c) {
    unsigned in = 0;
    unsigned out = 0;
    std::uint64_t last = 0;
    c.after_a = [&] {
      c.dut->pulse_a = c.cycles_b >= last + 5 ? 1 : 0;
      if (c.dut->pulse_a != 0) last = c.cycles_b;
    };
    c.before_a = [&] { in += c.dut->pulse_a; };
    c.before_b = [&] { out += c.dut->pulse_b; };
    c.run(300);
    c.after_a = [&] { c.dut->pulse_a = 0; };
    c.run(20);
    REQUIRE(in > 20);
    REQUIRE(out == in);
  });
}

TEST_CASE("cdc_pulse: a reset of both sides is no pulse, whatever went before") {
  over_clocks([](Cells& c) {
    unsigned out = 0;
    std::uint64_t reset_from = 0;
    c.before_b = [&] {
      // The first cycle in the reset is still as it was.
      if (c.dut->b_rst == 0 || c.cycles_b > reset_from) out += c.dut->pulse_b;
    };
    for (unsigned pulses = 1; pulses <= 4; ++pulses) {
      out = 0;
      for (unsigned i = 0; i < pulses; ++i) {
        c.dut->pulse_a = 1;
        const auto now = c.cycles_a;
        while (c.cycles_a == now) c.step();
        c.dut->pulse_a = 0;
        c.run(20);
      }
      CHECK(out == pulses);
      reset_from = c.cycles_b;
      c.dut->a_rst = c.dut->b_rst = 1;
      c.run(10);
      c.dut->a_rst = c.dut->b_rst = 0;
      c.run(10);
      CHECK(out == pulses);
    }
  });
}

TEST_CASE("cdc_request: arguments go, answers come back") {
  over_clocks([](Cells& c) {
    std::mt19937 random(2);
    bool waiting = false;
    unsigned done = 0;
    unsigned served = 0;
    unsigned thinking = 0;
    c.before_a = [&] {
      if (c.dut->done_a != 0) {
        REQUIRE(waiting);
        REQUIRE(c.dut->answer_a == static_cast<std::uint16_t>(c.dut->argument_a * 3 + 1));
        waiting = false;
        ++done;
      }
    };
    c.after_a = [&] {
      c.dut->request_a = 0;
      if (!waiting && random() % 4 == 0) {
        waiting = true;
        c.dut->request_a = 1;
        c.dut->argument_a = static_cast<std::uint16_t>(random());
      }
    };
    c.before_b = [&] {
      if (c.dut->request_b != 0) {
        REQUIRE(waiting);
        REQUIRE(thinking == 0);
        thinking = 1 + random() % 4;
        ++served;
      }
    };
    c.after_b = [&] {
      c.dut->done_b = 0;
      if (thinking != 0 && --thinking == 0) {
        c.dut->answer_b = static_cast<std::uint16_t>(c.dut->argument_b * 3 + 1);
        c.dut->done_b = 1;
      }
    };
    c.run(1500);
    REQUIRE(done > 40);
    REQUIRE(served - done <= 1);
  });
}

TEST_CASE("register_crossing: a request is there for a cycle, and its answer is that cycle's") {
  over_clocks([](Cells& c) {
    std::mt19937 random(4);
    unsigned served = 0;
    unsigned done = 0;
    std::uint32_t value = 0;
    bool error = false;
    c.before_a = [&] {
      if (c.dut->crossing_ack == 0) return;
      REQUIRE(c.dut->crossing_valid != 0);
      REQUIRE(served == ++done);
      REQUIRE(c.dut->crossing_rdata == value);
      REQUIRE((c.dut->crossing_error != 0) == error);
    };
    unsigned seen = 0;
    c.after_a = [&] {
      if (c.dut->crossing_valid != 0 && seen == done) return;  // still asked for
      seen = done;
      c.dut->crossing_valid = random() % 3 != 0;
      c.dut->crossing_write = static_cast<CData>(random() % 2);
      c.dut->crossing_address = static_cast<CData>(random() % 16);
      c.dut->crossing_wdata = static_cast<IData>(random());
    };
    c.before_b = [&] {
      if (c.dut->crossed_valid == 0) return;
      ++served;
      REQUIRE(c.dut->crossed_write == c.dut->crossing_write);
      REQUIRE(c.dut->crossed_address == c.dut->crossing_address);
      REQUIRE(c.dut->crossed_wdata == c.dut->crossing_wdata);
      value = c.dut->crossed_rdata;
      error = c.dut->crossed_error != 0;
    };
    // A register that counts has another value in each cycle.
    c.after_b = [&] {
      c.dut->crossed_rdata = static_cast<IData>(random());
      c.dut->crossed_error = static_cast<CData>(random() % 2);
    };
    c.run(1500);
    REQUIRE(done > 40);
    REQUIRE(served - done <= 1);
  });
}

TEST_CASE("register_crossing: of a request nothing is left behind a reset of both sides") {
  over_clocks([](Cells& c) {
    std::mt19937 random(5);
    std::uint64_t reset_from = 0;
    c.before_a = [&] { REQUIRE((c.dut->crossing_ack == 0 || c.dut->crossing_valid != 0)); };
    c.before_b = [&] {
      const bool reset = c.dut->b_rst != 0 && c.cycles_b > reset_from;
      REQUIRE((c.dut->crossed_valid == 0 || (!reset && c.dut->crossing_valid != 0)));
    };
    for (int n = 0; n < 40; ++n) {
      c.dut->crossing_valid = 1;
      for (auto steps = random() % 16; steps > 0 && c.dut->crossing_ack == 0; --steps) c.step();
      reset_from = c.cycles_b;
      c.dut->a_rst = c.dut->b_rst = 1;
      c.run(4);
      c.dut->crossing_valid = 0;
      c.run(2);
      c.dut->a_rst = c.dut->b_rst = 0;
      c.run(8);
    }
  });
}
