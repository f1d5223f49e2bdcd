// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <verilated.h>

#include <cstdint>
#include <memory>

#include "sim/board/board.hpp"

namespace ht::board {

/// A Verilated top. All bits are 0, as when a bitstream has come. `Pins` says what it calls its
/// pins: `clock(Top&, level)`, the pin of its clock, `drive(Top&, levels)` and `out(const Top&)`,
/// its wires.
template <class Top, class Pins>
class VerilatedBoard final : public Board {
 public:
  explicit VerilatedBoard(const Shape& shape)
      : Board(shape),
        context_(std::make_unique<VerilatedContext>()),
        top_(std::make_unique<Top>(context_.get())) {
    top_->rxd = 1;
    Pins::clock(*top_, false);
    top_->eval();
  }
  ~VerilatedBoard() override { top_->final(); }

  std::uint32_t out() const override { return Pins::out(*top_); }
  unsigned leds() const override { return Pins::leds(*top_); }

 private:
  bool evaluate(std::uint32_t in, bool rxd) override {
    top_->rxd = rxd;
    Pins::drive(*top_, in);
    Pins::clock(*top_, level_ = !level_);
    top_->eval();
    return top_->txd != 0;
  }

  bool level_ = false;  ///< of the clock's pin
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Top> top_;
};

}  // namespace ht::board
