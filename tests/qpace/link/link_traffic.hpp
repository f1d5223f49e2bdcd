// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/link/link_pair.hpp"

namespace ht::test {

namespace reg = ht::qpace::registers::link;

/// Random packets in both directions, and what must come of them.
class Traffic {
 public:
  Traffic(LinkPair& pair, std::uint64_t seed) : pair_(pair), random_(seed) {}

  /// Queues `packets[i]` at end i. They stay expected until they are checked.
  void queue(std::array<unsigned, 2> packets, unsigned channels = 8);
  /// All were received and both links say that they are idle.
  bool finished() const;
  /// Runs until finished(), then checks that every channel got exactly what was sent, in order, and
  /// that the checksums of both ends agree. Fails the test otherwise.
  void settle(std::uint64_t limit);
  /// The counters of both ends tell one story, with nothing flushed and all at rest.
  void check_counters();

 private:
  LinkPair& pair_;
  std::mt19937_64 random_;
  std::array<std::vector<Packet>, 2> sent_;
};

/// Of idle links: phases, delay and seed by the trial, and time that stands still.
inline LinkPair::Options still_options(unsigned trial) {
  std::mt19937_64 random(trial);
  LinkPair::Options o;
  o.delay = 10 + trial;
  o.seed = trial;
  o.time_passes = false;
  for (auto& p : o.phase_ps) p = static_cast<unsigned>(random() % 4000);
  return o;
}

}  // namespace ht::test
