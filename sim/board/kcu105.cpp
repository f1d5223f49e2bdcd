// SPDX-License-Identifier: Apache-2.0
#include <Vkcu105_qpace.h>

#include "sim/board/top.hpp"
#include "sim/board/tops.hpp"

namespace ht::board {
namespace {
struct Pins {
  // both references together: models divide
  static void clock(Vkcu105_qpace& top, bool level) {
    top.clk125_p = top.mgt_refclk_p = level;
    top.clk125_n = top.mgt_refclk_n = !level;
  }
  static void drive(Vkcu105_qpace& top, std::uint32_t in) {
    top.sfp_rx_p = in & 1;
    top.sfp_rx_n = !top.sfp_rx_p;
  }
  static std::uint32_t out(const Vkcu105_qpace& top) { return top.sfp_tx_p; }
  static unsigned leds(const Vkcu105_qpace& top) { return top.led; }
};
}  // namespace

std::unique_ptr<Board> make_kcu105() {
  return std::make_unique<VerilatedBoard<Vkcu105_qpace, Pins>>(
      Shape{.ends = 1,
            .steps_a_bit = 2,
            .steps_a_baud = HYPERTORUS_BOARD_BAUD_STEPS,
            .reset_steps = 80 * ((1U << 8) + 4096),
            .to_itself = true});
}

}  // namespace ht::board
