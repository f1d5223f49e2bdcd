// SPDX-License-Identifier: Apache-2.0
#include "sim/board/board.hpp"

#include <utility>

namespace ht::board {

void Board::step(std::uint32_t in) {
  hear_line(evaluate(in, drive_line()));
}

bool Board::drive_line() {
  if (sent_left_ == 0) {
    if (to_board_.empty()) return true;
    frame_ = 1U << 9 | static_cast<unsigned>(to_board_.front()) << 1;
    to_board_.pop_front();
    sent_left_ = steps_a_character();
  }
  const int bit = (steps_a_character() - sent_left_) / shape_.steps_a_baud;
  --sent_left_;
  return (frame_ >> bit & 1) != 0;
}

void Board::hear_line(bool line) {
  if (bits_left_ == 0 && line_ && !line) {
    bits_left_ = 10;
    steps_left_ = shape_.steps_a_baud / 2;
  } else if (bits_left_ > 0 && --steps_left_ == 0) {
    steps_left_ = shape_.steps_a_baud;
    shift_ = shift_ >> 1 | (line ? 1U << 9 : 0);
    if (--bits_left_ == 0) received_.push_back(static_cast<std::uint8_t>(shift_ >> 1));
  }
  line_ = line;
}

std::vector<std::uint8_t> Board::take_received() {
  return std::exchange(received_, {});
}

}  // namespace ht::board
