// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sw/tofu/ranks/coordinates.hpp"
#include "sw/tofu/ranks/paths.hpp"
#include "sw/tofu/ranks/rank_plan.hpp"

namespace ht::tofu {

/// The torus of one to three axes that a user asks for, laid onto the six-dimensional machine
/// ([Tofu2012] sections 3.4 and 3.5): three spaces, each made of one of X, Y, Z and one of A, B, C,
/// in each a closed walk. Neighbours of the user's torus, round its ends too, are
/// neighbours in the machine. With fewer than three axes, one of them is a closed walk over two
/// spaces or all three.
///
/// Which axes make which space, and which part of the machine the ranks lie in, is chosen so that
/// the part is smallest. Whatever the walk in the space of B leaves out, to come to the wanted
/// length or to avoid a failed node, is left out at all places of the two other spaces: those
/// nodes hold no rank.
class RankMap {
 public:
  /// Throws UsageError for a torus of other than 1 to 3 axes, an axis shorter than 1, a failed
  /// node outside the machine, or if there is no such torus on this machine, saying why.
  RankMap(const Shape& machine, std::vector<int> torus, RankOptions options = {});
  /// The largest torus of three axes X x A, Y x B, Z x C there is.
  static RankMap largest(const Shape& machine, const RankOptions& options = {});

  const Shape& machine() const { return machine_; }
  const RankOptions& options() const { return options_; }
  /// What the user asked for: lengths; rank = x + Lx (y + Ly z).
  const std::vector<int>& torus() const { return torus_; }
  int ranks() const { return static_cast<int>(nodes_.size()); }
  /// "8x12x6 as XA, YB, ZC".
  std::string description() const;

  /// The node of each rank, as GateCollectives takes them.
  const std::vector<Coordinates>& nodes() const { return nodes_; }
  /// Throws UsageError if there is no such rank.
  const Coordinates& node(int rank) const;
  /// Nothing for an I/O node, a failed one, and one that is left over.
  std::optional<int> rank(const Coordinates& node) const;

  std::vector<int> position(int rank) const;
  int rank_at(const std::vector<int>& position) const;
  /// The rank one step along an axis of the torus, forwards or not; itself along an axis of
  /// length 1.
  int neighbour(int rank, int axis, bool forwards) const;

  /// Paths from one rank to another that avoid failed nodes there and back, best first
  /// (paths_between()). Throws UsageError if there is none, naming both ends and the failed nodes.
  std::vector<Path> paths(int from, int to) const;
  Path path(int from, int to) const { return paths(from, to).front(); }

 private:
  Shape machine_;
  std::vector<int> torus_;
  RankOptions options_;
  std::string spaces_;
  std::vector<Coordinates> nodes_;
  std::map<std::uint32_t, int> ranks_;  ///< by address
};

}  // namespace ht::tofu
