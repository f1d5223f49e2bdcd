// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "sim/board/board.hpp"

class Vulx3s_qcdoc;
class VerilatedContext;

namespace ht::board {

/// The top of the ULX3S board (fpga/ulx3s). All bits are 0, as when a bitstream has come.
class Ulx3s final : public Board {
 public:
  Ulx3s();
  ~Ulx3s() override;

  unsigned ends() const override { return 6; }
  std::uint32_t out() const override;
  unsigned leds() const override;

 private:
  bool evaluate(std::uint32_t in, bool rxd) override;

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vulx3s_qcdoc> top_;
};

}  // namespace ht::board
