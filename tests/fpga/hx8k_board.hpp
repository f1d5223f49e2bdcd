// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

class Vhx8k_qcdoc;
class VerilatedContext;

namespace ht::test {

/// The HX8K board's top, its two link ends cabled to one another over pins, and somebody at
/// its serial line. A step is half a period of the sampling clock.
class Hx8kBoard {
 public:
  static constexpr int baud_cycles = 8;  ///< as the Verilated top has it

  /// `delay` of both cables, in half periods of the sampling clock: 0 to 200.
  explicit Hx8kBoard(unsigned delay);
  ~Hx8kBoard();
  Hx8kBoard(const Hx8kBoard&) = delete;

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
  unsigned leds() const;

 private:
  void half();
  std::uint32_t ask(std::vector<std::uint8_t> request);

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vhx8k_qcdoc> dut_;
  std::deque<bool> to_a_, to_b_;
  bool plugged_ = true;
  // the receiver at the host's end of the serial line
  std::vector<std::uint8_t> heard_;
  int left_ = 0;  ///< half periods to the middle of the next bit
  int bits_ = 0;  ///< of the character that is coming; 0: none
  unsigned shift_ = 0;
  bool line_ = true;
};

}  // namespace ht::test
