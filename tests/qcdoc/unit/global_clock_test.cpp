// SPDX-License-Identifier: Apache-2.0
#include <Vqcdoc_global_clock.h>
#include <verilated.h>

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

namespace {

struct Counter {
  Counter() { dut.rst = 1; }

  // One edge of clk, with everything settled before it.
  void step() {
    dut.clk = 0;
    dut.eval();
    dut.clk = 1;
    dut.eval();
  }
  void run(int cycles) {
    for (int i = 0; i < cycles; ++i) step();
  }

  VerilatedContext context;
  Vqcdoc_global_clock dut{&context};
};

}  // namespace

TEST_CASE("qcdoc_global_clock: one for every rising edge since reset, three cycles later at most") {
  for (const int shortest : {2, 3, 5}) {
    Counter c;
    // A level that is high as reset ends is no tick.
    c.dut.global_clk = 1;
    c.run(20);
    REQUIRE(c.dut.global_count == 0);
    c.dut.rst = 0;
    c.run(20);
    REQUIRE(c.dut.global_count == 0);
    unsigned ticks = 0;
    std::vector<unsigned> past;  // ticks before each edge of clk
    int next = 0;
    for (int cycle = 0; cycle < 1000; ++cycle) {
      if (cycle >= next) {
        next = cycle + shortest + static_cast<int>(ticks % 5);
        c.dut.global_clk = !c.dut.global_clk;
        if (c.dut.global_clk) ++ticks;
      }
      c.step();
      past.push_back(ticks);
      const auto n = past.size();
      if (n > 4) REQUIRE(c.dut.global_count == past[n - 3] % 16);
    }
    REQUIRE(ticks > 40);
  }
}
