// SPDX-License-Identifier: Apache-2.0
// Every cell of rtl/common, over many ratios and phases of the two clocks.
#include <Vcommon_cells_top.h>
#include <verilated.h>

#include <array>
#include <catch2/catch.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <set>

#include "verif/model/common/crc.hpp"

namespace {

/// Two clocks; `before_a`, `before_b` run just before an edge, with everything settled.
class Cells {
 public:
  /// `state`: registers come up with random bits, drawn from it, and so changes pass synchronisers
  /// a cycle later by chance; 0: with zeros.
  Cells(unsigned period_a, unsigned period_b, unsigned phase, int state = 0)
      : late(state == 0 ? 0 : 1),
        context_(context(state)),
        dut(std::make_unique<Vcommon_cells_top>(context_.get())),
        period_{period_a, period_b},
        next_{period_a, phase + 1} {
    // Inputs, too, come up with random bits.
    dut->count_step = dut->pulse_a = dut->request_a = dut->done_b = dut->bits_a = 0;
    dut->crossing_valid = dut->timer_restart = dut->timer_run = 0;
    dut->a_clk = dut->b_clk = dut->async_rst = 0;
    dut->a_rst = dut->b_rst = 1;
    run(5);
    dut->a_rst = dut->b_rst = 0;
    run(2);
  }
  ~Cells() { dut->final(); }

  const unsigned late;  ///< cycles that a change may be late beyond two flip-flops
  std::function<void()> before_a, before_b, after_a, after_b;

  void step() {
    now_ = std::min(next_[0], next_[1]);
    const bool a = next_[0] == now_;
    const bool b = next_[1] == now_;
    if (a) dut->a_clk = 0;
    if (b) dut->b_clk = 0;
    dut->eval();
    if (a && before_a) before_a();
    if (b && before_b) before_b();
    if (a) dut->a_clk = 1;
    if (b) dut->b_clk = 1;
    dut->eval();
    if (a && after_a) after_a();
    if (b && after_b) after_b();
    dut->eval();
    if (a) next_[0] += period_[0];
    if (b) next_[1] += period_[1];
    if (a) ++cycles_a;
    if (b) ++cycles_b;
  }
  /// Until both clocks had n edges more.
  void run(unsigned n) {
    const auto ends_a = cycles_a + n;
    const auto ends_b = cycles_b + n;
    while (cycles_a < ends_a || cycles_b < ends_b) step();
  }

  std::uint64_t cycles_a = 0, cycles_b = 0;

 private:
  static std::unique_ptr<VerilatedContext> context(int state) {
    auto c = std::make_unique<VerilatedContext>();
    constexpr int random_bits = 2;
    if (state != 0) {
      c->randReset(random_bits);
      c->randSeed(state);
    }
    return c;
  }
  std::unique_ptr<VerilatedContext> context_;

 public:
  std::unique_ptr<Vcommon_cells_top> dut;

 private:
  std::array<std::uint64_t, 2> period_;
  std::array<std::uint64_t, 2> next_;
  std::uint64_t now_ = 0;
};

template <typename F>
void over_clocks(F f) {
  for (const unsigned period_b : {4000U, 4800U, 4801U, 6024U, 1300U, 19000U}) {
    for (unsigned phase = 0; phase < 5000; phase += 1111) {
      for (int state = 0; state < 3; ++state) {
        INFO("clock periods 4800 and " << period_b << ", phase " << phase << ", initial state "
                                       << state);
        Cells cells(4800, period_b, phase, state);
        f(cells);
      }
    }
  }
}

}  // namespace

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
