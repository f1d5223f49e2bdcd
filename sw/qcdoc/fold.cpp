// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/fold.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include "sw/host/errors.hpp"

namespace ht::qcdoc {
namespace {

constexpr std::size_t most_axes = 6;

std::vector<Axis> rings(std::span<const int> lengths) {
  std::vector<Axis> axes;
  for (const int length : lengths) axes.push_back({length, true});
  return axes;
}

std::string text(const std::vector<int>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

// "2x2x4", and which of them are lines.
std::string text(const std::vector<Axis>& axes) {
  std::vector<int> lengths;
  std::string lines;
  for (std::size_t a = 0; a < axes.size(); ++a) {
    lengths.push_back(axes[a].length);
    if (!axes[a].ring && axes[a].length > 1) lines += axis_name(a);
  }
  if (lines.empty()) return text(lengths);
  return fmt::format("{} ({} cut: {})", text(lengths), fmt::join(lines, ", "),
                     lines.size() > 1 ? "lines" : "a line");
}

std::vector<Axis> chosen(const std::vector<Axis>& machine, const std::vector<std::size_t>& group) {
  std::vector<Axis> axes;
  for (const std::size_t a : group) axes.push_back(machine[a]);
  return axes;
}

int product(const std::vector<Axis>& machine, const std::vector<std::size_t>& group) {
  int n = 1;
  for (const std::size_t a : group) n *= machine[a].length;
  return n;
}

std::string group_names(const std::vector<std::size_t>& group) {
  std::string names;
  for (const std::size_t a : group) names += axis_name(a);
  return names.empty() ? "-" : names;
}

std::string spec_of(const Fold::Groups& groups) {
  std::vector<std::string> names;
  for (const auto& group : groups) names.push_back(group_names(group));
  return fmt::format("{}", fmt::join(names, ","));
}

// The first way, in lexicographic order of (axis of the application that x goes to, y goes to,
// ...), to make `shape` of the machine.
std::optional<Fold::Groups> choose(const std::vector<Axis>& machine,
                                   const std::vector<int>& shape) {
  Fold::Groups groups(shape.size());
  const std::function<bool(std::size_t)> place = [&](std::size_t axis) {
    if (axis == machine.size()) {
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (product(machine, groups[i]) != shape[i] || why_not_closed(chosen(machine, groups[i])))
          return false;
      }
      return true;
    }
    if (machine[axis].length == 1) return place(axis + 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (shape[i] % (product(machine, groups[i]) * machine[axis].length) != 0) continue;
      groups[i].push_back(axis);
      if (place(axis + 1)) return true;
      groups[i].pop_back();
    }
    return false;
  };
  if (!place(0)) return std::nullopt;
  return groups;
}

std::string remedy(const std::vector<Axis>& machine) {
  const auto shapes = folds_of(machine);
  if (shapes.empty())
    return "it folds into no torus: what was cut closes only together with another axis, one of "
           "the two of even length or a ring";
  constexpr std::size_t shown = 12;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(shown, shapes.size()); ++i) names.push_back(text(shapes[i]));
  return fmt::format("it folds into {}{}, in any order of the axes", fmt::join(names, ", "),
                     shapes.size() > shown ? " and others" : "");
}

Fold::Groups read_spec(const std::vector<Axis>& machine, const std::string& spec) {
  const auto refuse = [&](const std::string& why) {
    throw UsageError(fmt::format(
        "fold {}: {}; name the axes of the machine {} for each axis of the application, as in xy,z",
        spec, why, text(machine)));
  };
  Fold::Groups groups(1);
  std::set<std::size_t> named;
  for (const char c : spec) {
    if (c == ',') {
      groups.emplace_back();
      continue;
    }
    if (c == '-') continue;
    const std::size_t axis = std::string("xyztuv").find(c);
    if (axis >= machine.size()) refuse(fmt::format("the machine has no axis {}", c));
    if (!named.insert(axis).second) refuse(fmt::format("axis {} is named twice", c));
    groups.back().push_back(axis);
  }
  if (groups.size() > most_axes) refuse("an application has at most six axes");
  for (std::size_t a = 0; a < machine.size(); ++a) {
    if (machine[a].length > 1 && !named.contains(a))
      refuse(fmt::format("axis {} is missing", axis_name(a)));
  }
  for (const auto& group : groups) {
    if (const auto why = why_not_closed(chosen(machine, group)))
      refuse(fmt::format("{}: {}", group_names(group), *why));
  }
  return groups;
}

void check_machine(const std::vector<Axis>& machine) {
  if (machine.empty() || machine.size() > most_axes)
    throw UsageError(
        fmt::format("machine {}: QCDOC has one to six axes", machine.empty() ? "" : text(machine)));
  std::int64_t size = 1;
  for (const Axis& axis : machine) {
    if (axis.length < 1)
      throw UsageError(fmt::format("machine {}: an axis has at least one node", text(machine)));
    size *= axis.length;
    if (size > 1'000'000)
      throw UsageError(fmt::format("machine {}: more than a million nodes", text(machine)));
  }
}

std::vector<int> coordinates_in(const std::vector<int>& shape, int rank) {
  std::vector<int> c;
  for (const int length : shape) {
    c.push_back(rank % length);
    rank /= length;
  }
  return c;
}

}  // namespace

Fold::Fold(std::span<const int> machine, std::span<const int> application, const std::string& spec)
    : Fold(rings(machine), application, spec) {}

Fold::Fold(std::span<const Axis> machine, std::span<const int> application, const std::string& spec)
    : machine_(machine.begin(), machine.end()), shape_(application.begin(), application.end()) {
  check_machine(machine_);
  if (shape_.size() > most_axes)
    throw UsageError(fmt::format("{} nodes: an application has at most six axes", text(shape_)));
  if (!spec.empty()) {
    groups_ = read_spec(machine_, spec);
    std::vector<int> made;
    for (const auto& group : groups_) made.push_back(product(machine_, group));
    // Axes of length 1 at the end may be left out on either side.
    for (; made.size() < shape_.size(); groups_.emplace_back()) made.push_back(1);
    if (!shape_.empty() && shape_ != made)
      throw UsageError(fmt::format("machine {} folded as {} is {}, not {}", text(machine_), spec,
                                   text(made), text(shape_)));
    shape_ = made;
  } else {
    if (shape_.empty())
      for (const Axis& axis : machine_) shape_.push_back(axis.length);
    const auto groups = choose(machine_, shape_);
    if (!groups)
      throw UsageError(
          fmt::format("machine {} cannot present itself as {}: an axis is a closed walk over whole "
                      "axes of the machine; {}",
                      text(machine_), text(shape_), remedy(machine_)));
    groups_ = *groups;
  }
  walk(groups_);
}

void Fold::walk(const Groups& groups) {
  int size = 1;
  for (const Axis& axis : machine_) size *= axis.length;
  application_rank_.assign(at(size), 0);
  physical_node_.assign(at(size), 0);
  links_.assign(at(size) * 2 * shape_.size(), -1);
  std::vector<int> strides;
  for (int stride = 1; const Axis& axis : machine_) {
    strides.push_back(stride);
    stride *= axis.length;
  }
  // What every place on every axis of the application adds to the physical node's number, and the
  // links from there.
  std::vector<std::vector<int>> offsets, forward;
  for (const auto& group : groups) {
    const std::vector<std::vector<int>> steps = closed_walk(chosen(machine_, group));
    std::vector<int> offset, link(steps.size(), -1);
    for (std::size_t p = 0; p < steps.size(); ++p) {
      int sum = 0;
      for (std::size_t a = 0; a < group.size(); ++a) sum += steps[p][a] * strides[group[a]];
      offset.push_back(sum);
      const std::vector<int>& next = steps[(p + 1) % steps.size()];
      for (std::size_t a = 0; a < group.size(); ++a) {
        const int by = next[a] - steps[p][a];
        if (by == 0) continue;
        // One back is one back, but on a ring of two by itself, whose second step goes on over its
        // other cable.
        const bool back = by == -1 && steps.size() > 2;
        link[p] = static_cast<int>(2 * group[a]) + (back ? 1 : 0);
      }
    }
    offsets.push_back(std::move(offset));
    forward.push_back(std::move(link));
  }
  for (int rank = 0; rank < size; ++rank) {
    const std::vector<int> c = coordinates_in(shape_, rank);
    int physical = 0;
    for (std::size_t i = 0; i < c.size(); ++i) physical += offsets[i][at(c[i])];
    physical_node_[at(rank)] = physical;
    application_rank_[at(physical)] = rank;
    for (std::size_t i = 0; i < c.size(); ++i) {
      if (shape_[i] == 1) continue;
      int* const links = &links_[at(physical) * 2 * shape_.size() + 2 * i];
      links[0] = forward[i][at(c[i])];
      links[1] = forward[i][at((c[i] + shape_[i] - 1) % shape_[i])] ^ 1;
    }
  }
}

std::string Fold::description() const {
  return fmt::format("{} as {} ({})", text(machine_), text(shape_), spec_of(groups_));
}

std::vector<int> Fold::physical_coordinates(int physical_node) const {
  std::vector<int> lengths;
  for (const Axis& axis : machine_) lengths.push_back(axis.length);
  return coordinates_in(lengths, physical_node);
}

std::vector<int> Fold::coordinates(int physical_node) const {
  return coordinates_in(shape_, application_rank(physical_node));
}

int Fold::physical_node_at(std::span<const int> coordinates) const {
  int rank = 0;
  for (std::size_t i = shape_.size(); i-- > 0;) rank = rank * shape_[i] + coordinates[i];
  return physical_node(rank);
}

int Fold::link(int physical_node, int direction) const {
  return links_.at(at(physical_node) * 2 * shape_.size() + at(direction));
}

int Fold::neighbour(int physical_node, int direction) const {
  const int l = link(physical_node, direction);
  return l < 0 ? physical_node : box_neighbour(machine_, physical_node, l);
}

int Fold::direction(int physical_node, int link) const {
  const auto first =
      links_.begin() + physical_node * static_cast<std::ptrdiff_t>(2 * shape_.size());
  const auto last = first + static_cast<std::ptrdiff_t>(2 * shape_.size());
  const auto found = std::find(first, last, link);
  return found == last ? -1 : static_cast<int>(found - first);
}

int box_neighbour(const std::vector<Axis>& axes, int node, int link) {
  const std::size_t axis = static_cast<std::size_t>(link) / 2;
  if (axis >= axes.size()) return node;
  int stride = 1;
  for (std::size_t a = 0; a < axis; ++a) stride *= axes[a].length;
  const int n = axes[axis].length, here = node / stride % n;
  const int there = here + (link % 2 != 0 ? -1 : 1);
  if (!axes[axis].ring && (there < 0 || there >= n)) return -1;
  return node + ((there + n) % n - here) * stride;
}

std::vector<std::vector<int>> folds_of(const std::vector<Axis>& machine) {
  std::set<std::vector<int>> shapes;
  Fold::Groups groups;
  const std::function<void(std::size_t)> place = [&](std::size_t axis) {
    if (axis == machine.size()) {
      std::vector<int> shape;
      for (const auto& group : groups) {
        if (why_not_closed(chosen(machine, group))) return;
        shape.push_back(product(machine, group));
      }
      std::sort(shape.rbegin(), shape.rend());
      if (shape.empty()) shape.push_back(1);
      shapes.insert(shape);
      return;
    }
    if (machine[axis].length == 1) return place(axis + 1);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      groups[i].push_back(axis);
      place(axis + 1);
      groups[i].pop_back();
    }
    groups.push_back({axis});
    place(axis + 1);
    groups.pop_back();
  };
  place(0);
  std::vector<std::vector<int>> result(shapes.begin(), shapes.end());
  std::stable_sort(result.begin(), result.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  return result;
}

}  // namespace ht::qcdoc
