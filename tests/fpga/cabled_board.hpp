// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "sim/board/board.hpp"

namespace ht::test {

/// A board, its wires cabled to one another or to themselves, and a host at its serial line.
class CabledBoard {
 public:
  /// Delays in steps: of wire i `delay + i * skew`.
  CabledBoard(std::unique_ptr<board::Board> board, unsigned delay, unsigned skew = 0);

  /// Until the board has left its reset.
  void wait_for_reset();
  /// For so many bits of a wire.
  void run(std::uint64_t bits);
  /// Steps so far.
  std::uint64_t steps() const { return steps_; }
  void plug(bool plugged) { plugged_ = plugged; }

  /// Throws std::runtime_error with the answer's code if the board refuses, or does not answer.
  std::uint32_t read(unsigned address);
  void write(unsigned address, std::uint32_t value);
  /// Characters as they are, and what comes back within so many characters' times.
  std::vector<std::uint8_t> talk(const std::vector<std::uint8_t>& request, int characters);
  unsigned leds() const { return board_->leds(); }
  /// Registers that every board has (rtl/common/board_line.v): what they say, and what may be
  /// written of them.
  void check_line(std::uint32_t identity, std::uint32_t sources);

 private:
  void step();
  std::uint32_t ask(std::vector<std::uint8_t> request);

  std::unique_ptr<board::Board> board_;
  std::vector<std::deque<bool>> wires_;  ///< levels on their way, the oldest first
  bool plugged_ = true;
  std::uint64_t steps_ = 0;
};

}  // namespace ht::test
