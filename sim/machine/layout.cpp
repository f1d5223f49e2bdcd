// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/layout.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include "sim/machine/torus.hpp"

namespace ht::machine {
namespace {

/// Shares a torus out; the parts still to be halved are stretches of one list of nodes.
class Layout {
 public:
  explicit Layout(const std::vector<int>& shape)
      : shape_(shape), nodes_(static_cast<std::size_t>(node_count(shape))), side_(nodes_.size()) {
    std::iota(nodes_.begin(), nodes_.end(), 0);
    owners_.assign(nodes_.size(), 0);
  }

  std::vector<unsigned> share_out(unsigned processes) {
    halve(nodes_, 0, processes);
    return std::move(owners_);
  }

 private:
  enum : char { Elsewhere, Near, Far };

  // By coordinate along `axis`, then by number.
  void sort(std::span<int> part, std::size_t axis) const {
    int stride = 1;
    for (std::size_t a = 0; a < axis; ++a) stride *= shape_[a];
    std::ranges::sort(part, {},
                      [&](int node) { return std::pair(node / stride % shape_[axis], node); });
  }

  // Cables within `part` that lead from its first `near` nodes to the others.
  int cut(std::span<const int> part, std::size_t near) {
    for (std::size_t i = 0; i < part.size(); ++i)
      side_[static_cast<std::size_t>(part[i])] = i < near ? Near : Far;
    int cables = 0;
    for (const int node : part.first(near)) {
      for (int link = 0; link < 2 * static_cast<int>(shape_.size()); ++link)
        if (side_[static_cast<std::size_t>(torus_neighbour(shape_, node, link))] == Far) ++cables;
    }
    for (const int node : part) side_[static_cast<std::size_t>(node)] = Elsewhere;
    return cables;
  }

  void halve(std::span<int> part, unsigned first, unsigned processes) {
    if (processes <= 1) {
      for (const int node : part) owners_[static_cast<std::size_t>(node)] = first;
      return;
    }
    const unsigned near_processes = (processes + 1) / 2;
    const std::size_t near = (part.size() * near_processes + processes - 1) / processes;
    std::size_t best = 0;
    int fewest = 0;
    for (std::size_t axis = shape_.size(); axis-- > 0;) {
      sort(part, axis);
      const int cables = cut(part, near);
      if (axis + 1 < shape_.size() && cables >= fewest) continue;
      best = axis;
      fewest = cables;
    }
    sort(part, best);
    halve(part.first(near), first, near_processes);
    halve(part.subspan(near), first + near_processes, processes - near_processes);
  }

  const std::vector<int>& shape_;
  std::vector<int> nodes_;
  std::vector<char> side_;
  std::vector<unsigned> owners_;
};

}  // namespace

std::vector<unsigned> lay_out(const std::vector<int>& shape, unsigned processes) {
  std::vector<unsigned> blocks(static_cast<std::size_t>(node_count(shape)));
  for (std::size_t i = 0; i < blocks.size(); ++i)
    blocks[i] = static_cast<unsigned>(i * processes / blocks.size());
  std::vector<unsigned> halves = Layout(shape).share_out(processes);
  return cut_cables(shape, halves) <= cut_cables(shape, blocks) ? halves : blocks;
}

int cut_cables(const std::vector<int>& shape, const std::vector<unsigned>& owners) {
  int cables = 0;
  for (int node = 0; node < node_count(shape); ++node) {
    for (int link = 0; link < 2 * static_cast<int>(shape.size()); ++link) {
      const int to = torus_neighbour(shape, node, link);
      if (owners[static_cast<std::size_t>(node)] != owners[static_cast<std::size_t>(to)]) ++cables;
    }
  }
  return cables;
}

}  // namespace ht::machine
