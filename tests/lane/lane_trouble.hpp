// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <vector>

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

/// What happened in all trials of a test together.
struct Happened {
  std::uint64_t cuts = 0, flipped = 0, adjusted = 0;  ///< of the lanes
  std::uint64_t retransmitted = 0, trainings = 0;     ///< of the links

  /// At a trial's end: what the lanes know. SKIPs were never late, or the test fails.
  void add(const LaneTrouble& trouble, LanePair& pair);
  /// Fails the test unless each happened once a trial or more; bits need not flip if not `flips`.
  void check(unsigned trials, bool flips = true) const;
};

/// Words that an end hands to its lanes: where frames start, which are idle, and pauses asked for.
class PauseWatch {
 public:
  void look(bool starts, bool idle, bool pause);
  const std::vector<std::uint64_t>& starts() const { return starts_; }
  /// Fails the test unless two words were idle for each pause and none else, which is at most half
  /// a percent of them, and a pause was asked for every `often` words or more often.
  void check(std::uint64_t often) const;

 private:
  std::vector<std::uint64_t> starts_;
  std::uint64_t count_ = 0, idle_ = 0, pauses_ = 0;
  bool asked_ = false;
};

}  // namespace ht::test
