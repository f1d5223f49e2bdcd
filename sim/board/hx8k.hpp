// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "sim/board/board.hpp"

class Vhx8k_qcdoc;
class VerilatedContext;

namespace ht::board {

/// The top of the iCE40 HX8K breakout board (fpga/hx8k). All bits are 0, as when a bitstream has
/// come.
class Hx8k final : public Board {
 public:
  Hx8k();
  ~Hx8k() override;

  unsigned ends() const override { return 2; }
  std::uint32_t out() const override;
  unsigned leds() const override;

 private:
  bool evaluate(std::uint32_t in, bool rxd) override;

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vhx8k_qcdoc> top_;
};

}  // namespace ht::board
