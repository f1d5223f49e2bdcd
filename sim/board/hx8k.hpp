// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

class Vhx8k_qcdoc;
class VerilatedContext;

namespace ht::board {

/// The top of the HX8K board (fpga/hx8k) as it is synthesised, PLLs and pins modelled, and the
/// host's end of its serial line. A step is half a period of the sampling clock; a bit of a link
/// takes four of them.
class Hx8k {
 public:
  static constexpr int steps_a_bit = 4;
  /// A bit of the serial line. With the 50 of the board a character takes long; the Verilated top
  /// mostly has fewer.
  static constexpr int link_bits_a_baud = HYPERTORUS_HX8K_BAUD_BITS;
  static constexpr int steps_a_character = 10 * steps_a_bit * link_bits_a_baud;

  /// All bits are 0, as when a bitstream has come.
  Hx8k();
  ~Hx8k();
  Hx8k(const Hx8k&) = delete;
  Hx8k& operator=(const Hx8k&) = delete;

  /// With these levels on the link ends' pins.
  void step(bool a_in, bool b_in);
  bool a_out() const;
  bool b_out() const;
  unsigned leds() const;

  /// A character for the board, behind those that are being sent.
  void send(std::uint8_t character) { to_board_.push_back(character); }
  /// Characters that came from the board since the last call.
  std::vector<std::uint8_t> take_received();

 private:
  void drive_line();
  void hear_line();

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vhx8k_qcdoc> top_;
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
