// SPDX-License-Identifier: Apache-2.0
#include "sim/board/ulx3s.hpp"

#include <Vulx3s_qcdoc.h>
#include <verilated.h>

namespace ht::board {

Ulx3s::Ulx3s()
    : Board(HYPERTORUS_BOARD_BAUD_BITS),
      context_(std::make_unique<VerilatedContext>()),
      top_(std::make_unique<Vulx3s_qcdoc>(context_.get())) {
  top_->rxd = 1;
  top_->clk25 = 0;
  top_->eval();
}

Ulx3s::~Ulx3s() {
  top_->final();
}

std::uint32_t Ulx3s::out() const {
  return top_->line_out;
}
unsigned Ulx3s::leds() const {
  return top_->led;
}

bool Ulx3s::evaluate(std::uint32_t in, bool rxd) {
  top_->rxd = rxd;
  top_->line_in = static_cast<CData>(in);
  top_->clk25 = !top_->clk25;
  top_->eval();
  return top_->txd != 0;
}

}  // namespace ht::board
