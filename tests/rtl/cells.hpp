// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Vcommon_cells_top.h>
#include <verilated.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <memory>

namespace ht::test {

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

}  // namespace ht::test
