// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>

#include "tests/lane/lane_pair.hpp"
#include "tests/tofu/link/pair.hpp"

namespace ht::test {

/// Two links, each before a bundle of lanes with the same clock, and a cable of lanes in real time
/// between them. A cycle is one of a's.
class LaneTofuPair : public TofuPair {
 public:
  LaneTofuPair(const PairOptions& lanes, std::uint64_t seed);

  LanePair& lanes() { return lanes_; }
  /// What an end hands over to its lanes, a beat a cycle.
  std::function<void(unsigned end, const model::Beat& beat, bool pause)> watch;

 protected:
  void step() override;

 private:
  Word clock(unsigned end, const BundleOutputs& out);

  LanePair lanes_;
  std::array<model::Beat, 2> came_{model::kIdleBeat, model::kIdleBeat};
};

}  // namespace ht::test
