// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verif/model/tofu/route.hpp"

namespace ht::tofu {

/// Where a node is in the six-dimensional torus: X, Y, Z, A, B, C.
struct Coordinates {
  std::array<int, 6> at{};

  bool operator==(const Coordinates&) const = default;
  /// {c, b[1:0], a, z[4:0], y[4:0], x[4:0]}: as in packets and registers.
  std::uint32_t address() const;
  static Coordinates from_address(std::uint32_t address);
  model::tofu::Coordinates model() const;
};

/// "(1,2,3 0,1,0)".
std::string text(const Coordinates& where);

/// The lengths of a machine's axes. X, Y and Z are rings (or meshes, if said so), B is a ring of up
/// to three, A and C have one or two nodes ([Tofu2012] section 3.1).
struct Shape {
  std::array<int, 6> length{1, 1, 1, 1, 1, 1};
  std::array<bool, 3> ring{true, true, true};  ///< X, Y, Z

  /// Throws UsageError for lengths the hardware's coordinates or rules do not allow.
  void check() const;
  int nodes() const;
  bool contains(const Coordinates& where) const;

  /// Nodes in this order: A, B, C (the twelve of a group), X, Y, Z. Throws UsageError if there is
  /// no such node.
  Coordinates place(int node) const;
  int node(const Coordinates& where) const;
  /// The places of these nodes, and of the first `count`.
  std::vector<Coordinates> places(const std::vector<int>& which) const;
  std::vector<Coordinates> first_places(int count) const;

  /// Links on the shortest way from one to the other, which is the dimension order's way.
  int hops(const Coordinates& from, const Coordinates& to) const;

  /// Where the cable of a link (0 X+, 1 X-, ... 9 C) leads, or nothing if there is none: the end of
  /// a mesh, or an axis of length 1.
  std::optional<Coordinates> neighbour(const Coordinates& from, int link) const;

  model::tofu::Shape model() const;

  /// What the register SHAPE holds.
  std::uint32_t register_value() const;

  /// The smallest shape with room for `nodes` that is filled as place() does: 2 x 3 x 2 first, then
  /// X, Y, Z about equally long. Throws UsageError for less than one.
  static Shape for_nodes(int nodes);
};

}  // namespace ht::tofu
