// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sw/qmp/closed_walk.hpp"

namespace ht::qcdoc {

using qmp::Axis;
using qmp::axis_name;
using qmp::closed_walk;
using qmp::why_not_closed;

/// A machine of one to six axes as a torus of one to six axes, neighbours staying neighbours
/// ([QCDOC2004] sections 2.2 and 3.1: a user asks for "a dimensionality between one and six").
/// Every axis of the application is a closed walk over one or more whole axes of the machine, so
/// 2x2x2 is a ring of 8, a 4x2 or a 2x2x2, and 3x3 is a 9 (closed over the cables that make its
/// axes rings).
///
/// Nodes are numbered by the machine: x + Lx (y + Ly (z + ...)), *physical node* here; the
/// application's rank is made of its own coordinates in the same way. Links and directions are
/// numbered alike: 2 * axis for +1, 2 * axis + 1 for -1. All knowledge is in tables made once;
/// queries take constant time.
class Fold {
 public:
  /// Which axes of the machine make which axis of the application, in the order in which they
  /// are walked along; empty for an axis of length 1.
  using Groups = std::vector<std::vector<std::size_t>>;

  /// `machine`'s axes, as `application`. With an empty `spec` every axis of the machine, x first,
  /// goes to the first axis of the application that allows the rest to fit. Else `spec` names the
  /// machine's axes for each of the application's: "xy,z,t"; "-" for none. Axes of length 1 need
  /// not be named. An empty `application` is what `spec` makes, or the machine's own shape.
  /// Throws UsageError naming both shapes and those that fit.
  Fold(std::span<const Axis> machine, std::span<const int> application,
       const std::string& spec = "");
  /// A whole machine: all axes are rings.
  Fold(std::span<const int> machine, std::span<const int> application,
       const std::string& spec = "");

  int size() const { return static_cast<int>(application_rank_.size()); }
  const std::vector<Axis>& machine() const { return machine_; }
  /// The torus the application sees.
  const std::vector<int>& shape() const { return shape_; }
  const Groups& groups() const { return groups_; }
  /// "4x2x2 as 8x2 (xy,z)".
  std::string description() const;

  int application_rank(int physical_node) const { return application_rank_.at(at(physical_node)); }
  int physical_node(int application_rank) const { return physical_node_.at(at(application_rank)); }
  std::vector<int> physical_coordinates(int physical_node) const;
  std::vector<int> coordinates(int physical_node) const;
  /// Coordinates must be inside shape().
  int physical_node_at(std::span<const int> coordinates) const;

  /// The link of a node that leads to its neighbour in the application's `direction`; -1 along an
  /// axis of length 1. The neighbour's link at the other end of that cable is this one ^ 1, and
  /// leads it back in direction ^ 1.
  int link(int physical_node, int direction) const;
  /// The node there; itself along an axis of length 1.
  int neighbour(int physical_node, int direction) const;
  /// The direction a link of a node leads to; -1 if the fold does not use that link.
  int direction(int physical_node, int link) const;

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  void walk(const Groups& groups);

  std::vector<Axis> machine_;
  std::vector<int> shape_;
  Groups groups_;
  std::vector<int> application_rank_, physical_node_;
  /// Physical node * directions + direction.
  std::vector<int> links_;
};

/// The node of a box of `axes` at the other end of `link`; -1 if that is outside. Along a ring of
/// length 1 the node itself.
int box_neighbour(const std::vector<Axis>& axes, int node, int link);

/// Shapes that a machine folds into, each once, with the fewest axes first.
std::vector<std::vector<int>> folds_of(const std::vector<Axis>& machine);

}  // namespace ht::qcdoc
