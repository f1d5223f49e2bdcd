// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>

#include "tests/lane/lane_pair.hpp"

namespace ht::test {

/// A cable of lanes that is drawn from a seed, and what happens to it: for whatever stands at its
/// ends.
class LaneTrouble {
 public:
  /// `flips`: bits flip, too.
  explicit LaneTrouble(std::uint64_t seed, bool flips = true)
      : flips_(flips), seed_(seed), random_(seed) {}

  /// Clocks up to 300 ppm off, at any phase.
  PairOptions options(Shape shape, Femtoseconds period, unsigned every = 1);
  /// Lanes whose delays differ by up to 13 words, with jitter or without.
  void draw_lines(LanePair& pair);
  /// One of: bits flip, in some lanes, or no more; a lane, or all of one way or of both, cut, in
  /// any of the ways in which a receiver sees that; all plugged again, at another bit.
  void happen(LanePair& pair);
  void mend(LanePair& pair);

  std::uint64_t cuts() const { return cuts_; }
  /// A number below `n`.
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  std::mt19937_64& random() { return random_; }

 private:
  void cut(LaneLine& line, unsigned kind);
  bool flips_;
  std::uint64_t seed_;
  std::mt19937_64 random_;
  std::uint64_t cuts_ = 0;
};

/// Bits that were flipped so far, both ways.
std::uint64_t flipped_bits(LanePair& pair);

}  // namespace ht::test
