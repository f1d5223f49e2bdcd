// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sw/tofu/gates/barrier_interface.hpp"

namespace ht::tofu {

/// A sum by software over point-to-point messages, to compare gates with: recursive doubling in
/// which the *host* sends its number to a partner, waits for the partner's, adds, and goes on to
/// the next. A message is one gate's packet (a channel for each step, wired to the partner's), the
/// cheapest there is on this machine.
class HostAllreduce {
 public:
  struct Options {
    int first_channel = 2;
    std::uint8_t group = 2;
    Picoseconds step_cost = 200'000;  ///< software of a step: matching, adding
  };

  /// `ranks`: the node of each. Throws UsageError unless there are 2^k of them, k channels from
  /// `first_channel` on, and such a rank.
  HostAllreduce(BarrierInterface& interface, const std::vector<Coordinates>& ranks, int rank,
                Options options);
  HostAllreduce(BarrierInterface& interface, const std::vector<Coordinates>& ranks, int rank)
      : HostAllreduce(interface, ranks, rank, Options{}) {}

  /// The same bits on all nodes: every pair of partners adds the same two numbers.
  double sum(double x);

 private:
  BarrierInterface& interface_;
  Options options_;
  int steps_;
};

}  // namespace ht::tofu
