// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace ht::qmp {

/// A physical axis of a machine or of a part of it.
struct Axis {
  int length = 1;
  /// Its last node is joined with its first. The axis of a part of a machine, cut from a longer
  /// one, is a line: the cable that would close it leads into another part.
  bool ring = true;

  bool operator==(const Axis&) const = default;
};

/// "x", "y", "z", "t", "u", "v".
char axis_name(std::size_t axis);

/// Why no closed walk visits every node of these axes (1 to 6) exactly once, using each cable at
/// most once: a phrase for an error message. Nothing if there is one.
///
/// * No axis longer than 1: one node, and nothing to walk.
/// * One axis: a ring is its own walk (of length 2: there and back over two cables); a line is not.
/// * Several: if a length is even, there is one that never uses a cable from last to first; if all
///   are odd, one needs a ring, since a grid coloured as a chessboard has one more square of one
///   colour then, and a closed walk as many of each.
std::optional<std::string> why_not_closed(const std::vector<Axis>& axes);

/// Such a walk: coordinates of its nodes in turn, from the origin; neighbours in it (the last and
/// the first, too) differ by one along one axis. On two or more axes it goes to and fro along the
/// first (boustrophedon), so that lengths of 2 give a Gray code. Throws std::logic_error if there
/// is none.
std::vector<std::vector<int>> closed_walk(const std::vector<Axis>& axes);

}  // namespace ht::qmp
