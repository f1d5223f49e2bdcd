// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <optional>
#include <vector>

namespace ht::tofu {

/// One of the three spaces of a rank map ([Tofu2012] section 3.4): rows of nodes along X, Y or Z,
/// each of which has a node for every place along A, B or C.
struct Strip {
  int rows = 1;
  int columns = 1;                          ///< 1 to 3; three are a ring
  bool ring = false;                        ///< a cable leads from the last row to the first
  std::vector<std::array<int, 2>> missing;  ///< {row, column} of nodes that hold no rank
};

/// {row, column}.
using StripWalk = std::vector<std::array<int, 2>>;

/// A closed walk of exactly `length` nodes of a strip, each once, through every one of its rows:
/// neighbours in it, the last and the first too, are neighbours in the machine. Nothing if there is
/// none of this kind:
///
/// * two strands, one down and one up the rows, need two nodes of every row. Where columns are a
///   ring of three, either strand takes a row's third node in, or leaves it out: so any length
///   between 2 and 3 a row can be had, and a node that failed is walked round (figure 4);
/// * one row, or one column that is a ring, closes by itself; two nodes, or one, need no ring.
std::optional<StripWalk> walk_round(const Strip& strip, int length);

}  // namespace ht::tofu
