// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "sw/tofu/ranks/rank_map.hpp"

namespace ht::tofu {

/// The torus a program sees, and where its nodes are on the machine.
struct RankLayout {
  std::vector<int> shape;           ///< 1 to 6 axes, x first
  std::vector<Coordinates> places;  ///< by rank = x + Lx (y + Ly (z + ...))
  std::vector<Coordinates> failed;  ///< nodes that are not there
  std::vector<Coordinates> others;  ///< nodes of other jobs: there, but not for this one
  /// Where the first ABC leg of a way between ranks leads: by default to the destination's own.
  std::function<Path(int from, int to)> path;

  int ranks() const { return static_cast<int>(places.size()); }
  /// Nothing for a node without a rank.
  std::optional<int> rank(const Coordinates& node) const;
  /// The path from one rank to another.
  Path way(int from, int to) const;
  bool works(const Coordinates& node) const;
  /// It works, and is of this job.
  bool ours(const Coordinates& node) const;
  /// Nodes that no way of this job may come by: failed ones, and others'.
  std::vector<Coordinates> avoided() const;
  /// A rank's coordinates on the torus, and the other way round.
  std::vector<int> coordinates(int rank) const;
  int rank_of(const std::vector<int>& coordinates) const;

  /// Throws UsageError if there are not as many different places as ranks, all in the machine.
  void check(const Shape& machine) const;

  /// Every axis of the machine that is longer than 1 is one of the program's.
  static std::shared_ptr<const RankLayout> straight(const Shape& machine);
  /// A map's torus, on the ways that avoid its failed nodes and those of other jobs.
  static std::shared_ptr<const RankLayout> of(RankMap map);
};

}  // namespace ht::tofu
