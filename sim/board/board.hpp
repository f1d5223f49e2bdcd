// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

namespace ht::board {

/// Of a board that tests cables.
struct Shape {
  unsigned ends = 0;         ///< wires, each with a pin out and one in
  int steps_a_bit = 0;       ///< of such a wire
  int steps_a_baud = 0;      ///< of the serial line; those of the board itself would take long
  unsigned reset_steps = 0;  ///< until it has left its reset, at the latest
  bool to_itself =
      false;  ///< by itself a wire is cabled to itself, not to the other one of its pair
};

/// The top of such a board (fpga/*, rtl/*/tester), as it is synthesised, PLLs and pins modelled,
/// and the host's end of its serial line. A step is half a period of its fastest clock.
class Board {
 public:
  virtual ~Board() = default;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  const Shape& shape() const { return shape_; }
  /// What a wire is cabled to when the board is by itself.
  unsigned partner(unsigned end) const { return shape_.to_itself ? end : end ^ 1; }
  /// Wire i is bit i.
  virtual std::uint32_t out() const = 0;
  virtual unsigned leds() const = 0;

  /// With these levels on the wires' pins.
  void step(std::uint32_t in);

  int steps_a_character() const { return 10 * shape_.steps_a_baud; }
  /// A character for the board, behind those that are being sent.
  void send(std::uint8_t character) { to_board_.push_back(character); }
  /// Characters that came from the board since the last call.
  std::vector<std::uint8_t> take_received();

 protected:
  explicit Board(const Shape& shape) : shape_(shape) {}

 private:
  /// Half a period with these levels on its pins; the level of the board's end of the serial line.
  virtual bool evaluate(std::uint32_t in, bool rxd) = 0;
  bool drive_line();
  void hear_line(bool line);

  Shape shape_;
  std::deque<std::uint8_t> to_board_;
  unsigned frame_ = 0;  ///< that is being sent: start bit, character, stop bit
  int sent_left_ = 0;   ///< steps of it
  std::vector<std::uint8_t> received_;
  unsigned shift_ = 0;
  int bits_left_ = 0;   ///< of the character that is coming; 0: none
  int steps_left_ = 0;  ///< to the middle of its next bit
  bool line_ = true;
};

}  // namespace ht::board
