// SPDX-License-Identifier: Apache-2.0
#include <Vhx8k_qcdoc.h>

#include "sim/board/top.hpp"
#include "sim/board/tops.hpp"

namespace ht::board {
namespace {
struct Pins {
  static void clock(Vhx8k_qcdoc& top, bool level) { top.clk12 = level; }
  static void drive(Vhx8k_qcdoc& top, std::uint32_t in) {
    top.a_in = in & 1;
    top.b_in = in >> 1 & 1;
  }
  static std::uint32_t out(const Vhx8k_qcdoc& top) {
    return static_cast<std::uint32_t>(top.b_out << 1 | top.a_out);
  }
  static unsigned leds(const Vhx8k_qcdoc& top) { return top.led; }
};
}  // namespace

std::unique_ptr<Board> make_hx8k() {
  return std::make_unique<VerilatedBoard<Vhx8k_qcdoc, Pins>>(
      Shape{.ends = 2,
            .steps_a_bit = 4,
            .steps_a_baud = HYPERTORUS_BOARD_BAUD_STEPS,
            .reset_steps = 4 * ((1U << 16) + 16)});
}

}  // namespace ht::board
