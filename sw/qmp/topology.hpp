// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// A logical torus of a communicator's nodes, whose numbers stay. Where it can be laid onto the
/// machine's, every logical axis lies along one axis of the machine of the same length, or, with
/// length 1, along none, and neighbours are joined by a cable. Else neighbours are reached by
/// number.
class Topology {
 public:
  /// Lays `dimensions` onto `machine`. With an empty `order`, every logical axis takes the first
  /// free machine axis of its length. Otherwise `order` is a permutation of the logical axes, and
  /// those longer than 1 must be, in this order, the machine's axes longer than 1. Nothing if it
  /// cannot be done.
  static std::optional<Topology> fit(std::span<const int> machine, std::span<const int> coordinates,
                                     std::span<const int> dimensions, std::span<const int> order);
  /// Lays any `dimensions` over their product of nodes by number: the first logical axis of `order`
  /// (a permutation of them; empty: as they stand) varies fastest. `node` is this one's.
  static Topology by_number(std::span<const int> dimensions, std::span<const int> order, int node);

  const std::vector<int>& dimensions() const { return dimensions_; }
  const std::vector<int>& coordinates() const { return coordinates_; }
  void coordinates_of(int node, int* coordinates) const;
  /// -1 if there is no such node.
  int node_at(const int* coordinates) const;
  /// Whether neighbours are reached by number.
  bool is_by_number() const { return by_number_; }
  /// The machine's direction for sign along a logical axis; nothing if that is the node itself, or
  /// a node that is reached by number.
  std::optional<Direction> direction(int axis, int sign) const;
  /// The number of the node one step along a logical axis.
  int neighbour(int axis, int sign) const;

 private:
  std::vector<int> machine_, dimensions_, coordinates_;
  std::vector<int> along_;  ///< logical axis -> machine axis, or -1
  bool by_number_ = false;  ///< `machine_` are the logical axes, in order
};

}  // namespace ht::qmp
