// SPDX-License-Identifier: Apache-2.0
// A clock pin that rises again though it never was low, counted by the hardware's own counter.
#include "sim/machine/edge.hpp"

#include <Vcommon_cells_top.h>
#include <Vcommon_cells_top___024root.h>
#include <verilated.h>

#include <catch2/catch.hpp>
#include <memory>
#include <random>

namespace {

using ht::machine::ClockPin;

struct Counter {
  VerilatedContext context;
  std::unique_ptr<Vcommon_cells_top> dut = std::make_unique<Vcommon_cells_top>(&context);
  ClockPin a = HT_CLOCK_PIN(*dut, a_clk);
  ClockPin b = HT_CLOCK_PIN(*dut, b_clk);

  Counter() {
    dut->a_rst = dut->b_rst = 1;
    clock(true, true);
    dut->a_rst = dut->b_rst = 0;
    dut->count_step = 1;
  }
  ~Counter() { dut->final(); }

  // One evaluation where the model can do it.
  void clock(bool rise_a, bool rise_b) {
    if (a.needs_low() || b.needs_low()) {
      a.fall();
      b.fall();
      dut->eval();
    }
    a.set(rise_a);
    b.set(rise_b);
    dut->eval();
  }
};

TEST_CASE("a clock pin: every rising edge is seen once, none is invented") {
  Counter c;
  std::mt19937 random(1);
  unsigned edges = 0;
  for (int i = 0; i < 1000; ++i) {
    const bool rise_a = random() % 2 == 0;
    c.clock(rise_a, random() % 2 == 0);
    edges += rise_a ? 1 : 0;
    REQUIRE(c.dut->count_a == edges % 32);
    // An evaluation that raises nothing changes nothing.
    if (random() % 4 != 0) continue;
    c.dut->eval();
    REQUIRE(c.dut->count_a == edges % 32);
  }
}

TEST_CASE("a clock pin: no evaluation goes to a fall") {
  INFO("edge.hpp does not know where Verilator " VERILATOR_VERSION " keeps a clock");
  Counter c;
  CHECK(c.a.rises_from_high());
  CHECK(c.b.rises_from_high());
}

}  // namespace
