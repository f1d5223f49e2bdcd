// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <random>

namespace ht::test {

/// One word of the wire: 32 bits and, for each of the four lanes, whether it is a control code.
struct WireWord {
  std::uint32_t data = 0x07070707U;
  std::uint8_t control = 0xf;

  bool operator==(const WireWord&) const = default;
  bool idle() const { return *this == WireWord{}; }
  /// A word that begins something: code in lane 0, data in the others.
  bool starts(std::uint8_t code) const { return control == 1 && (data & 0xffU) == code; }
};

/// What is done to words on their way; probabilities for each word.
struct Damage {
  double flip = 0;        ///< one to four data bits
  double error_lane = 0;  ///< one lane becomes an error character
  double garble = 0;      ///< anything at all in all 36 bits
  double lose = 0;        ///< the word vanishes; the next idle word is doubled
  double repeat = 0;      ///< the word comes twice; a later idle word vanishes
};

/// One direction of a cable: words come out `delay` cycles after they went in, with damage.
class Cable {
 public:
  explicit Cable(unsigned delay, std::uint64_t seed) : random_(seed) { words_.resize(delay); }

  /// Called once a cycle of the sender.
  void push(WireWord w);
  /// Called once a cycle of the receiver.
  WireWord pop();

  Damage damage;
  /// While pulled, the receiver sees error characters only (or nothing, if `silent`).
  bool pulled = false;
  bool silent = false;
  /// Sees every word before damage; returns false to let an idle word go in its place.
  std::function<bool(WireWord&)> filter;

  std::uint64_t damaged = 0;  ///< words damaged so far
  std::uint64_t carried = 0;  ///< words that were not idle
  std::uint64_t doubled = 0;  ///< words that came twice

 private:
  bool chance(double p);

  std::deque<WireWord> words_;
  std::mt19937_64 random_;
  int surplus_ = 0;  ///< words too many in the cable
};

}  // namespace ht::test
