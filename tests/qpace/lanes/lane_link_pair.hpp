// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>

#include "tests/lane/lane_pair.hpp"
#include "tests/qpace/link/link_pair.hpp"

namespace ht::test {

/// Two links, each before a bundle of lanes whose clock is its link clock, and a cable of lanes in
/// real time between them. A cycle is one of a's link clock, as of a LinkPair.
class LaneLinkPair : public LinkPair {
 public:
  LaneLinkPair(const PairOptions& lanes, const Options& link);

  LanePair& lanes() { return lanes_; }
  /// What an end hands over to its lanes, a word a cycle.
  std::function<void(unsigned end, const WireWord& word, bool pause)> watch;

 protected:
  void step() override { lanes_.step(); }

 private:
  Word link_edge(unsigned end, const BundleOutputs& out);

  LanePair lanes_;
  std::array<WireWord, 2> came_;
  std::array<Femtoseconds, 2> core_next_{};
  std::array<Femtoseconds, 2> core_period_{};
};

}  // namespace ht::test
