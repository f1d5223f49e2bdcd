// SPDX-License-Identifier: Apache-2.0
#include "sim/board/hx8k.hpp"

#include <Vhx8k_qcdoc.h>
#include <verilated.h>

#include <utility>

namespace ht::board {
namespace {

constexpr int steps_a_baud = Hx8k::steps_a_bit * Hx8k::link_bits_a_baud;

}  // namespace

Hx8k::Hx8k()
    : context_(std::make_unique<VerilatedContext>()),
      top_(std::make_unique<Vhx8k_qcdoc>(context_.get())) {
  top_->rxd = 1;
  top_->clk12 = 0;
  top_->eval();
}

Hx8k::~Hx8k() {
  top_->final();
}

bool Hx8k::a_out() const {
  return top_->a_out != 0;
}
bool Hx8k::b_out() const {
  return top_->b_out != 0;
}
unsigned Hx8k::leds() const {
  return top_->led;
}

void Hx8k::step(bool a_in, bool b_in) {
  drive_line();
  top_->a_in = a_in;
  top_->b_in = b_in;
  top_->clk12 = !top_->clk12;
  top_->eval();
  hear_line();
}

void Hx8k::drive_line() {
  if (sent_left_ == 0) {
    top_->rxd = 1;
    if (to_board_.empty()) return;
    frame_ = 1U << 9 | static_cast<unsigned>(to_board_.front()) << 1;
    to_board_.pop_front();
    sent_left_ = steps_a_character;
  }
  top_->rxd = frame_ >> ((steps_a_character - sent_left_) / steps_a_baud) & 1;
  --sent_left_;
}

void Hx8k::hear_line() {
  const bool line = top_->txd != 0;
  if (bits_left_ == 0 && line_ && !line) {
    bits_left_ = 10;
    steps_left_ = steps_a_baud / 2;
  } else if (bits_left_ > 0 && --steps_left_ == 0) {
    steps_left_ = steps_a_baud;
    shift_ = shift_ >> 1 | (line ? 1U << 9 : 0);
    if (--bits_left_ == 0) received_.push_back(static_cast<std::uint8_t>(shift_ >> 1));
  }
  line_ = line;
}

std::vector<std::uint8_t> Hx8k::take_received() {
  return std::exchange(received_, {});
}

}  // namespace ht::board
