// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sw/host/time.hpp"

namespace ht::machine {

/// A line of text that a node wrote to its serial port.
struct ConsoleLine {
  Picoseconds time = 0;  ///< of its last character's stop bit
  int node = 0;
  std::string text;  ///< without the newline; characters that are no text as \xNN
};

/// The other end of a node's serial line (the root card, [QPACE2009] section 5): listens, bit by
/// bit, to eight data bits without parity and keeps lines of text. It never sends.
class SerialConsole {
 public:
  /// `bit_cycles`: samples a bit.
  SerialConsole(int node, int bit_cycles) : node_(node), bit_cycles_(bit_cycles) {}

  /// The line's level in the next cycle.
  void sample(bool level, Picoseconds now);
  /// In the middle of a character.
  bool busy() const { return bit_ >= 0; }

  /// Complete lines since the last call; with `all`, what has no newline yet as well.
  std::vector<ConsoleLine> take(bool all = false);

  std::uint64_t damaged() const { return damaged_; }  ///< characters without a stop bit

 private:
  void character(unsigned code, Picoseconds now);

  int node_, bit_cycles_;
  int bit_ = -1;  ///< that is sampled next: 0 start, 1 to 8 data, 9 stop; -1: none
  int wait_ = 0;  ///< cycles until then
  bool hold_ = false;
  unsigned shift_ = 0;
  std::uint64_t damaged_ = 0;
  std::string text_;
  Picoseconds last_ = 0;
  std::vector<ConsoleLine> lines_;
};

/// Prints them as "[node 3] text", by time, then by node.
void print_console(std::vector<ConsoleLine> lines);

}  // namespace ht::machine
