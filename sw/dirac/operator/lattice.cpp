// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/lattice.hpp"

#include <fmt/format.h>

#include <limits>

#include "sw/host/errors.hpp"

namespace ht::dirac {

std::int64_t volume_of(const Coordinates& extents) {
  std::int64_t volume = 1;
  for (const int extent : extents) volume *= extent;
  return volume;
}

std::string to_string(const Coordinates& e) {
  return fmt::format("{}x{}x{}x{}", e[0], e[1], e[2], e[3]);
}

Coordinates coordinates_of(std::int64_t index, const Coordinates& extents) {
  Coordinates at{};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    at[axis] = static_cast<int>(index % extents[axis]);
    index /= extents[axis];
  }
  return at;
}

Coordinates checked_grid(const Coordinates& lattice, std::span<const int> node_grid) {
  for (const int extent : lattice) {
    if (extent < 1) {
      throw UsageError(fmt::format("lattice {}: every extent must be at least 1, as in 4x4x4x8",
                                   to_string(lattice)));
    }
  }
  Coordinates grid{1, 1, 1, 1};
  for (std::size_t axis = 0; axis < node_grid.size(); ++axis) {
    const int nodes = node_grid[axis];
    if (axis >= 4) {
      if (nodes == 1) continue;
      throw UsageError(
          fmt::format("node grid: axis {} has {} nodes, but the lattice has 4 axes; "
                      "give a grid of at most 4 axes",
                      axis + 1, nodes));
    }
    if (nodes < 1 || lattice[axis] % nodes != 0) {
      throw UsageError(
          fmt::format("lattice {}: its {} extent {} is not divided by {} nodes; choose "
                      "a node grid whose axes divide the lattice's",
                      to_string(lattice), "xyzt"[axis], lattice[axis], nodes));
    }
    grid[axis] = nodes;
  }
  return grid;
}

Geometry::Geometry(const Coordinates& lattice, std::span<const int> node_grid,
                   std::span<const int> node)
    : lattice_(lattice), grid_(checked_grid(lattice, node_grid)) {
  for (std::size_t axis = 0; axis < 4; ++axis) {
    node_[axis] = axis < node.size() ? node[axis] : 0;
    local_[axis] = lattice_[axis] / grid_[axis];
    origin_[axis] = node_[axis] * local_[axis];
  }
  const std::int64_t volume = volume_of(local_);
  if (volume > std::numeric_limits<int>::max() / kDirections) {
    throw UsageError(fmt::format("lattice {}: {} sites on a node are too many; use more nodes",
                                 to_string(lattice_), volume));
  }
  place_.reserve(static_cast<std::size_t>(volume));
  site_.resize(static_cast<std::size_t>(volume));
  for (int parity = 0; parity < 2; ++parity) {
    for (std::int64_t index = 0; index < volume; ++index) {
      const Coordinates at = coordinates_of(index, local_);
      int sum = 0;
      for (std::size_t axis = 0; axis < 4; ++axis) sum += at[axis] + origin_[axis];
      if (sum % 2 != parity) continue;
      site_[static_cast<std::size_t>(index)] = static_cast<int>(place_.size());
      place_.push_back(at);
    }
    if (parity == 0) even_ = static_cast<int>(place_.size());
  }
}

bool Geometry::bipartite() const {
  for (const int extent : lattice_) {
    if (extent % 2 != 0) return false;
  }
  return true;
}

Coordinates Geometry::global_place(int site) const {
  Coordinates at = place(site);
  for (std::size_t axis = 0; axis < 4; ++axis) at[axis] += origin_[axis];
  return at;
}

int Geometry::site_of_global(const Coordinates& global) const {
  Coordinates at = global;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    at[axis] -= origin_[axis];
    if (at[axis] < 0 || at[axis] >= local_[axis]) return -1;
  }
  return site_at(at);
}

bool Geometry::leaves_node(int site, int direction) const {
  const auto axis = static_cast<std::size_t>(direction / 2);
  const int edge = direction % 2 == 0 ? local_[axis] - 1 : 0;
  return grid_[axis] > 1 && place(site)[axis] == edge;
}

int Geometry::local_neighbour(int site, int direction) const {
  const auto axis = static_cast<std::size_t>(direction / 2);
  Coordinates at = place(site);
  at[axis] = (at[axis] + (direction % 2 == 0 ? 1 : local_[axis] - 1)) % local_[axis];
  return site_at(at);
}

std::vector<int> Geometry::face(int direction) const {
  std::vector<int> sites;
  for (const int site : site_) {
    if (leaves_node(site, direction)) sites.push_back(site);
  }
  return sites;
}

}  // namespace ht::dirac
