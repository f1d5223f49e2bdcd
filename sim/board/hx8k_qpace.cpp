// SPDX-License-Identifier: Apache-2.0
#include <Vhx8k_qpace.h>

#include "sim/board/top.hpp"
#include "sim/board/tops.hpp"

namespace ht::board {
namespace {
/// Its link is looped inside: there are no wires.
struct Pins {
  static void clock(Vhx8k_qpace& top, bool level) { top.clk12 = level; }
  static void drive(Vhx8k_qpace&, std::uint32_t) {}
  static std::uint32_t out(const Vhx8k_qpace&) { return 0; }
  static unsigned leds(const Vhx8k_qpace& top) { return top.led; }
};
}  // namespace

std::unique_ptr<Board> make_hx8k_qpace() {
  return std::make_unique<VerilatedBoard<Vhx8k_qpace, Pins>>(
      Shape{.ends = 0,
            .steps_a_bit = 2,
            .steps_a_baud = HYPERTORUS_BOARD_BAUD_STEPS,
            .reset_steps = 2 * ((1U << 8) + 64)});
}

}  // namespace ht::board
