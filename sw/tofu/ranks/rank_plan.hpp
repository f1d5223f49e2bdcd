// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "sw/tofu/ranks/coordinates.hpp"
#include "sw/tofu/utofu/strip.hpp"

namespace ht::tofu {

struct RankOptions {
  /// Nodes with Z = 0 do input and output and hold no rank. A machine of length 1 in Z has none.
  bool io_nodes = true;
  /// Nodes that are out of service: no rank is on them, and no path between ranks comes by.
  std::vector<Coordinates> failed;
  /// The same for nodes of other jobs, which are in service.
  std::vector<Coordinates> others = {};

  /// Nodes that are not this job's, for whichever reason.
  std::vector<Coordinates> avoided() const;
};

/// Three spaces, in the order of the user's axes: which two axes of the machine each is made of,
/// its length, and how many rows it takes.
struct RankPlan {
  std::array<std::size_t, 3> row{}, column{};
  std::array<int, 3> length{}, rows{};
  std::vector<std::vector<std::size_t>> merged;  ///< the spaces of each of the user's axes
  int volume() const { return rows[0] * rows[1] * rows[2]; }
};

/// A plan, at a place of the machine where it meets no failed node.
struct RankFit {
  RankPlan plan;
  std::array<int, 3> origin;       ///< the first row of each space
  std::array<StripWalk, 3> walks;  ///< rows counted from there
};

/// Looks for the part of a machine that the ranks of a torus lie in; RankMap says what is wanted.
class RankPlanner {
 public:
  /// Both must outlive it, and have been checked.
  RankPlanner(const Shape& machine, const RankOptions& options)
      : machine_(machine), options_(options), avoided_(options.avoided()) {}

  /// Rows along X, Y or Z that may hold ranks.
  int rows(std::size_t axis) const { return usable(axis).count; }

  /// Every plan for a torus of 1 to 3 axes, the smallest part of the machine first.
  std::vector<RankPlan> plans(const std::vector<int>& torus) const;

  /// The first that can lie somewhere.
  std::optional<RankFit> first_fit(const std::vector<RankPlan>& plans) const;

 private:
  /// Rows along an axis that ranks may be on: the first, how many, and whether they are a ring.
  struct Rows {
    int first = 0, count = 1;
    bool ring = false;
  };
  Rows usable(std::size_t axis) const;
  Strip strip(const RankPlan& plan, std::size_t space) const;
  int fewest_rows(RankPlan plan, std::size_t space) const;
  std::optional<std::array<StripWalk, 3>> walks(const RankPlan& plan,
                                                const std::array<int, 3>& origin) const;

  const Shape& machine_;
  const RankOptions& options_;
  std::vector<Coordinates> avoided_;
};

}  // namespace ht::tofu
