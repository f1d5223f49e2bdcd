// SPDX-License-Identifier: Apache-2.0
#include "sim/board/hx8k.hpp"

#include <Vhx8k_qcdoc.h>
#include <verilated.h>

namespace ht::board {

Hx8k::Hx8k()
    : Board(HYPERTORUS_BOARD_BAUD_BITS),
      context_(std::make_unique<VerilatedContext>()),
      top_(std::make_unique<Vhx8k_qcdoc>(context_.get())) {
  top_->rxd = 1;
  top_->clk12 = 0;
  top_->eval();
}

Hx8k::~Hx8k() {
  top_->final();
}

std::uint32_t Hx8k::out() const {
  return static_cast<std::uint32_t>(top_->b_out << 1 | top_->a_out);
}
unsigned Hx8k::leds() const {
  return top_->led;
}

bool Hx8k::evaluate(std::uint32_t in, bool rxd) {
  top_->rxd = rxd;
  top_->a_in = in & 1;
  top_->b_in = in >> 1 & 1;
  top_->clk12 = !top_->clk12;
  top_->eval();
  return top_->txd != 0;
}

}  // namespace ht::board
