// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>
#include <vector>

namespace ht::tofu {

/// The algorithms of [Tofu2012] section 5.2. All of them bring every rank's contribution to every
/// rank, so that each carries all collectives: barrier, reduction (all but one ignore the result),
/// broadcast (all but one contribute nothing).
enum class Algorithm {
  /// log2 N exchanges, each with a rank twice as far away. Where N is no power of two, the ranks
  /// beyond it hand in their values before and get the result after: two steps more.
  RecursiveDoubling,
  /// Twice round a ring of neighbours: values are gathered the first time, and the result is
  /// distributed
  /// the second. Two packets a rank.
  DoubleRing,
  /// Up a binary tree and down again: five gates, twice the steps of recursive doubling.
  Tree,
  /// The same with four children: five packets received a rank, and nine gates.
  WideTree,
};

inline constexpr Algorithm algorithms[] = {Algorithm::RecursiveDoubling, Algorithm::DoubleRing,
                                           Algorithm::Tree, Algorithm::WideTree};

/// "recursive doubling" and so on.
std::string_view text(Algorithm algorithm);

/// A gate of another rank: 0 is the one that starts and ends, others relay.
struct RemoteGate {
  int rank;
  int gate;
  bool operator==(const RemoteGate&) const = default;
};

/// The four ends of a gate, each of which may be absent. Gate 0 feeds its destinations at the
/// start, and its sources are the result; others feed them when all their sources have come.
struct GateWiring {
  std::optional<int> local_source;
  std::optional<RemoteGate> remote_source;
  std::optional<int> local_destination;
  std::optional<RemoteGate> remote_destination;
};

/// A pattern of gates over N ranks. Which gates a rank needs depends on nothing but the algorithm,
/// N and the rank: every rank lays its own, without communication.
class BarrierPattern {
 public:
  /// Throws UsageError for less than one rank.
  BarrierPattern(Algorithm algorithm, int ranks);

  Algorithm algorithm() const { return algorithm_; }
  int ranks() const { return ranks_; }

  /// The rank's gates, gate 0 first; none if there is one rank only. Throws UsageError if there is
  /// no such rank.
  std::vector<GateWiring> gates(int rank) const;

  /// Gates of the rank that needs most: what all can be given, so that a gate's number is the same
  /// everywhere.
  int most_gates() const;

 private:
  std::vector<GateWiring> doubling(int rank) const;
  std::vector<GateWiring> ring(int rank) const;
  std::vector<GateWiring> tree(int rank, int fan_out) const;

  Algorithm algorithm_;
  int ranks_;
};

}  // namespace ht::tofu
