// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "sim/tofu/bench/net.hpp"

namespace ht::bench {

struct TofuLoad {
  double offered = 1;  ///< beats a node and cycle, all interfaces together; above 4 none is idle
  double hot = 0;      ///< share of packets that go to node 0
  double responses = 0.3;  ///< share
  bool any_path =
      false;  ///< one of the first legs at random, else straight to the destination's A, B, C
  std::vector<unsigned> beats{125, 125, 5, 0};  ///< of payload, one at random
  std::uint64_t seed = 1;
};

/// Random traffic, more of it whenever a node's queue is short: call it before every step.
class TofuTraffic {
 public:
  TofuTraffic(TofuNet& net, const TofuLoad& load);
  void offer();
  std::uint64_t offered_beats = 0;

 private:
  TofuPacket make(unsigned from);

  TofuNet* net_;
  TofuLoad load_;
  std::mt19937_64 random_;
  double mean_ = 0;
  std::uint64_t id_ = 0;
};

}  // namespace ht::bench
