// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>

#include "tests/lane/lane_pair.hpp"
#include "tests/qcdoc/link/pair.hpp"

namespace ht::test {

/// Two links, each before a bundle of one lane with the same clock, a byte every eight cycles, and
/// a cable of lanes in real time between them. A cycle is one of a's.
class LaneQcdocPair : public QcdocPair {
 public:
  LaneQcdocPair(const PairOptions& lanes, std::uint64_t seed);

  LanePair& lanes() { return lanes_; }
  /// What an end hands over to its lanes, every eight cycles.
  std::function<void(unsigned end, const Word& word, bool pause)> watch;
  /// Changes a word as an end receives it from its lanes.
  std::function<void(unsigned end, Word& word)> spoil;
  bool pauses = true;  ///< or links do not hear when lanes ask

  void step() override;

 private:
  void clock(unsigned end, const BundleOutputs& out, bool en);

  LanePair lanes_;
  std::array<Word, 2> sent_;
};

}  // namespace ht::test
