// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <string>

namespace ht::host {

/// Bits that flip in the memories of nodes' network hardware while programs run.
struct SoftErrors {
  double rate = 0;      ///< of a node, in a millisecond of machine time
  double two_bits = 0;  ///< share of them that flip two bits of one word
};

/// What became of them.
struct SoftErrorTotals {
  std::uint64_t made = 0, two_bits = 0;  ///< words hit, and those of them with two flipped bits
  std::uint64_t corrected = 0;           ///< as the hardware counted

  SoftErrorTotals& operator+=(const SoftErrorTotals& more) {
    made += more.made;
    two_bits += more.two_bits;
    corrected += more.corrected;
    return *this;
  }
};

/// What a node's software makes soft errors with, and finds out what became of them: the registers
/// that its hardware has for that. Called from the node's fibre.
class SoftErrorSite {
 public:
  virtual ~SoftErrorSite() = default;
  /// One or two flipped bits in what is next written into, or read from, a protected memory that
  /// `draw` chooses.
  virtual void flip(std::mt19937_64& draw, bool two_bits) = 0;
  /// Words that were corrected since reset.
  virtual std::uint64_t corrected() = 0;
  /// What stands still since two bits of a word were wrong, with its register; empty: nothing.
  virtual std::string fault() = 0;
};

}  // namespace ht::host
