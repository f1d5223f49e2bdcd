// SPDX-License-Identifier: Apache-2.0
#include <Vecpix5_qpace.h>

#include "sim/board/top.hpp"
#include "sim/board/tops.hpp"

namespace ht::board {
namespace {
struct Pins {
  static void clock(Vecpix5_qpace& top, bool level) { top.clk100 = level; }
  static void drive(Vecpix5_qpace& top, std::uint32_t in) {
    top.sata_rx_p = in & 1;
    top.sata_rx_n = !top.sata_rx_p;
  }
  static std::uint32_t out(const Vecpix5_qpace& top) { return top.sata_tx_p; }
  static unsigned leds(const Vecpix5_qpace& top) { return top.led_n ^ 0xFFu; }
};
}  // namespace

std::unique_ptr<Board> make_ecpix5() {
  return std::make_unique<VerilatedBoard<Vecpix5_qpace, Pins>>(
      Shape{.ends = 1,
            .steps_a_bit = 2,
            .steps_a_baud = HYPERTORUS_BOARD_BAUD_STEPS,
            .reset_steps = 100 * ((1U << 8) + 4096),
            .to_itself = true});
}

}  // namespace ht::board
