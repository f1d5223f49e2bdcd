// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <vector>

namespace ht::board {

/// The top of a board that tests cables (fpga/*, rtl/qcdoc/tester), as it is synthesised, PLLs and
/// pins modelled, and the host's end of its serial line. A step is half a period of the sampling
/// clock; a bit of a link takes four of them.
class Board {
 public:
  static constexpr int steps_a_bit = 4;

  virtual ~Board() = default;
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// Of links; end i's pins are bit i of what follows. Ends 2i and 2i + 1 have clocks of their own.
  virtual unsigned ends() const = 0;
  virtual std::uint32_t out() const = 0;
  virtual unsigned leds() const = 0;

  /// With these levels on the link ends' pins.
  void step(std::uint32_t in);

  int steps_a_character() const { return 10 * steps_a_baud_; }
  /// A character for the board, behind those that are being sent.
  void send(std::uint8_t character) { to_board_.push_back(character); }
  /// Characters that came from the board since the last call.
  std::vector<std::uint8_t> take_received();

 protected:
  /// Bits of a link in one of the serial line. With those of the board a character takes long; the
  /// Verilated top mostly has fewer.
  explicit Board(int link_bits_a_baud) : steps_a_baud_(steps_a_bit * link_bits_a_baud) {}

 private:
  /// Half a period with these levels on its pins; the level of the board's end of the serial line.
  virtual bool evaluate(std::uint32_t in, bool rxd) = 0;
  bool drive_line();
  void hear_line(bool line);

  int steps_a_baud_;
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
