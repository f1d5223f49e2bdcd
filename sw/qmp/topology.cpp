// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/topology.hpp"

#include <algorithm>

namespace ht::qmp {
namespace {

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

std::optional<Topology> Topology::fit(std::span<const int> machine,
                                      std::span<const int> coordinates,
                                      std::span<const int> dimensions, std::span<const int> order) {
  Topology t;
  t.machine_.assign(machine.begin(), machine.end());
  t.dimensions_.assign(dimensions.begin(), dimensions.end());
  t.along_.assign(dimensions.size(), -1);
  std::vector<bool> taken(machine.size());
  std::size_t next = 0;  // with an order: machine axes before this one are done with
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::size_t axis = order.empty() ? i : at(order[i]);
    const int length = dimensions[axis];
    if (length == 1) continue;
    std::size_t m = order.empty() ? 0 : next;
    while (m < machine.size() &&
           (order.empty() ? taken[m] || machine[m] != length : machine[m] == 1)) {
      ++m;
    }
    if (m == machine.size() || machine[m] != length) return std::nullopt;
    taken[m] = true;
    next = m + 1;
    t.along_[axis] = static_cast<int>(m);
  }
  for (std::size_t m = 0; m < machine.size(); ++m) {
    if (machine[m] > 1 && !taken[m]) return std::nullopt;
  }
  for (const int m : t.along_) t.coordinates_.push_back(m < 0 ? 0 : coordinates[at(m)]);
  return t;
}

Topology Topology::by_number(std::span<const int> dimensions, std::span<const int> order,
                             int node) {
  Topology t;
  t.by_number_ = true;
  t.dimensions_.assign(dimensions.begin(), dimensions.end());
  t.along_.resize(dimensions.size());
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    const std::size_t axis = order.empty() ? i : at(order[i]);
    t.machine_.push_back(dimensions[axis]);
    t.along_[axis] = static_cast<int>(i);
  }
  t.coordinates_.resize(dimensions.size());
  t.coordinates_of(node, t.coordinates_.data());
  return t;
}

void Topology::coordinates_of(int node, int* coordinates) const {
  std::vector<int> machine(machine_.size());
  for (std::size_t m = 0; m < machine_.size(); ++m) {
    machine[m] = node % machine_[m];
    node /= machine_[m];
  }
  for (std::size_t a = 0; a < along_.size(); ++a) {
    coordinates[a] = along_[a] < 0 ? 0 : machine[at(along_[a])];
  }
}

int Topology::node_at(const int* coordinates) const {
  std::vector<int> machine(machine_.size(), 0);
  for (std::size_t a = 0; a < along_.size(); ++a) {
    if (coordinates[a] < 0 || coordinates[a] >= dimensions_[a]) return -1;
    if (along_[a] >= 0) machine[at(along_[a])] = coordinates[a];
  }
  int node = 0;
  for (std::size_t m = machine_.size(); m-- > 0;) node = node * machine_[m] + machine[m];
  return node;
}

std::optional<Direction> Topology::direction(int axis, int sign) const {
  const int m = along_[at(axis)];
  if (m < 0 || by_number_) return std::nullopt;
  return direction_of(m, sign);
}

int Topology::neighbour(int axis, int sign) const {
  std::vector<int> there = coordinates_;
  const int length = dimensions_[at(axis)];
  there[at(axis)] = (there[at(axis)] + sign + length) % length;
  return node_at(there.data());
}

}  // namespace ht::qmp
