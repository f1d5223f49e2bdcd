// SPDX-License-Identifier: Apache-2.0
#include <Vulx3s_qcdoc.h>

#include "sim/board/top.hpp"
#include "sim/board/tops.hpp"

namespace ht::board {
namespace {
struct Pins {
  static void clock(Vulx3s_qcdoc& top, bool level) { top.clk25 = level; }
  static void drive(Vulx3s_qcdoc& top, std::uint32_t in) { top.line_in = static_cast<CData>(in); }
  static std::uint32_t out(const Vulx3s_qcdoc& top) { return top.line_out; }
  static unsigned leds(const Vulx3s_qcdoc& top) { return top.led; }
};
}  // namespace

std::unique_ptr<Board> make_ulx3s() {
  return std::make_unique<VerilatedBoard<Vulx3s_qcdoc, Pins>>(
      Shape{.ends = 6,
            .steps_a_bit = 4,
            .steps_a_baud = HYPERTORUS_BOARD_BAUD_STEPS,
            .reset_steps = 4 * ((1U << 16) + 16)});
}

}  // namespace ht::board
