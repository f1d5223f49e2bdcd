// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <vector>

#include "sw/qmp/transport.hpp"

namespace ht::qmp {

/// A logical torus laid onto the machine's: every logical axis lies along one axis of the machine
/// of the same length, or, with length 1, along none. Node numbers stay the machine's ranks.
class Topology {
 public:
  /// Lays `dimensions` onto `machine`. With an empty `order`, every logical axis takes the first
  /// free machine axis of its length. Otherwise `order` is a permutation of the logical axes, and
  /// those longer than 1 must be, in this order, the machine's axes longer than 1. Nothing if it
  /// cannot be done.
  static std::optional<Topology> fit(std::span<const int> machine, std::span<const int> coordinates,
                                     std::span<const int> dimensions, std::span<const int> order);
  /// A torus of one node.
  static Topology single(std::size_t axes);

  const std::vector<int>& dimensions() const { return dimensions_; }
  const std::vector<int>& coordinates() const { return coordinates_; }
  void coordinates_of(int node, int* coordinates) const;
  /// -1 if there is no such node.
  int node_at(const int* coordinates) const;
  /// The machine's direction for sign along a logical axis; nothing if that is the node itself.
  std::optional<Direction> direction(int axis, int sign) const;

 private:
  std::vector<int> machine_, dimensions_, coordinates_;
  std::vector<int> along_;  ///< logical axis -> machine axis, or -1
};

}  // namespace ht::qmp
