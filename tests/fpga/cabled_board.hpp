// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

#include "sim/board/hx8k.hpp"

namespace ht::test {

/// The HX8K board, its two link ends cabled to one another, and a host at its serial line.
class Hx8kBoard {
 public:
  /// `delay` of both cables, in half periods of the sampling clock: 0 to 200.
  explicit Hx8kBoard(unsigned delay) : to_a_(delay + 1, false), to_b_(delay + 1, false) {}

  /// Until the board has left its reset.
  void wait_for_reset();
  /// For so many bits of the links.
  void run(std::uint64_t bits);
  void plug(bool plugged) { plugged_ = plugged; }

  /// Throws std::runtime_error with the answer's code if the board refuses, or does not answer.
  std::uint32_t read(unsigned address);
  void write(unsigned address, std::uint32_t value);
  /// Characters as they are, and what comes back within so many characters' times.
  std::vector<std::uint8_t> talk(const std::vector<std::uint8_t>& request, int characters);
  unsigned leds() const { return board_.leds(); }

 private:
  void step();
  std::uint32_t ask(std::vector<std::uint8_t> request);

  board::Hx8k board_;
  std::deque<bool> to_a_, to_b_;
  bool plugged_ = true;
};

}  // namespace ht::test
