// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/closed_walk.hpp"

#include <algorithm>
#include <stdexcept>

namespace ht::qmp {
namespace {

using Coordinates = std::vector<int>;

std::vector<std::size_t> longer_than_one(const std::vector<Axis>& axes) {
  std::vector<std::size_t> result;
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].length > 1) result.push_back(a);
  return result;
}

// Through all nodes of these axes once, from the origin, the first axis to and fro.
std::vector<Coordinates> snake(const std::vector<Axis>& axes,
                               const std::vector<std::size_t>& along) {
  std::vector<Coordinates> path{Coordinates(axes.size(), 0)};
  for (const std::size_t axis : along) {
    const std::vector<Coordinates> there = path;
    for (int i = 1; i < axes[axis].length; ++i) {
      for (std::size_t k = 0; k < there.size(); ++k) {
        path.push_back(there[i % 2 != 0 ? there.size() - 1 - k : k]);
        path.back()[axis] = i;
      }
    }
  }
  return path;
}

// Along a path of `m` nodes and an axis of even length: to and fro over all but the path's first
// node, and back over the first nodes.
//
//   i = 0   0 > > > >
//           ^       v
//   i = 1   ^ < < < <
std::vector<Coordinates> close_even(const std::vector<Coordinates>& path, std::size_t axis,
                                    int length) {
  std::vector<Coordinates> walk{path.front()};
  const auto step = [&](std::size_t k, int i) {
    walk.push_back(path[k]);
    walk.back()[axis] = i;
  };
  const std::size_t m = path.size();
  for (int i = 0; i < length; ++i)
    for (std::size_t k = 1; k < m; ++k) step(i % 2 == 0 ? k : m - k, i);
  for (int i = length - 1; i > 0; --i) step(0, i);
  return walk;
}

// The path's length m and the ring's are odd: along the path at the ring's first place, then to and
// fro over the ring's other places back to the path's beginning, and over the ring's last cable.
std::vector<Coordinates> close_odd(const std::vector<Coordinates>& path, std::size_t axis,
                                   int length) {
  std::vector<Coordinates> walk = path;
  for (std::size_t row = 0; row < path.size(); ++row) {
    for (int i = 1; i < length; ++i) {
      walk.push_back(path[path.size() - 1 - row]);
      walk.back()[axis] = row % 2 == 0 ? i : length - i;
    }
  }
  return walk;
}

}  // namespace

char axis_name(std::size_t axis) {
  return std::string("xyztuv").at(axis);
}

std::optional<std::string> why_not_closed(const std::vector<Axis>& axes) {
  const std::vector<std::size_t> used = longer_than_one(axes);
  if (used.empty()) return std::nullopt;
  if (used.size() == 1) {
    if (axes[used[0]].ring) return std::nullopt;
    return "a line by itself has no way back from its end";
  }
  const bool closes = std::any_of(used.begin(), used.end(), [&](std::size_t a) {
    return axes[a].length % 2 == 0 || axes[a].ring;
  });
  if (closes) return std::nullopt;
  return "lines whose lengths are all odd do not close";
}

std::vector<std::vector<int>> closed_walk(const std::vector<Axis>& axes) {
  if (const auto reason = why_not_closed(axes)) throw std::logic_error("closed_walk: " + *reason);
  std::vector<std::size_t> used = longer_than_one(axes);
  if (used.size() < 2) return snake(axes, used);
  const auto even = std::find_if(used.rbegin(), used.rend(),
                                 [&](std::size_t a) { return axes[a].length % 2 == 0; });
  const auto closing =
      even != used.rend()
          ? even
          : std::find_if(used.rbegin(), used.rend(), [&](std::size_t a) { return axes[a].ring; });
  const std::size_t axis = *closing;
  used.erase(std::next(closing).base());
  const std::vector<Coordinates> path = snake(axes, used);
  const int length = axes[axis].length;
  return length % 2 == 0 ? close_even(path, axis, length) : close_odd(path, axis, length);
}

}  // namespace ht::qmp
