// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/torus.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

// Along link's axis from `rank`, on rings of the axis' length divided by `ring_divisor`.
int step(const std::vector<int>& shape, int rank, int link, int ring_divisor) {
  const auto axis = static_cast<std::size_t>(link / 2);
  if (axis >= shape.size()) return rank;
  int stride = 1;
  for (std::size_t i = 0; i < axis; ++i) stride *= shape[i];
  const int ring = shape[axis] / ring_divisor;
  const int at = rank / stride % shape[axis];
  const int begin = at / ring * ring;
  const int next = begin + (at - begin + (link % 2 == 0 ? 1 : ring - 1)) % ring;
  return rank + (next - at) * stride;
}

}  // namespace

std::vector<int> torus_coordinates(const std::vector<int>& shape, int rank) {
  std::vector<int> coordinates;
  for (const int length : shape) {
    coordinates.push_back(rank % length);
    rank /= length;
  }
  return coordinates;
}

int torus_neighbour(const std::vector<int>& shape, int rank, int link) {
  return step(shape, rank, link, 1);
}

int split_neighbour(const std::vector<int>& shape, int axis, int rank, int link) {
  return step(shape, rank, link, link / 2 == axis ? 2 : 1);
}

int node_count(const std::vector<int>& shape) {
  int nodes = 1;
  for (const int length : shape) {
    if (__builtin_mul_overflow(nodes, length, &nodes) || nodes > most_nodes)
      throw UsageError(
          fmt::format("{} are more nodes than a machine's {}; take a smaller node grid",
                      fmt::join(shape, "x"), most_nodes));
  }
  return nodes;
}

std::vector<int> torus_shape(std::vector<int> shape, std::size_t most, std::string_view machine) {
  while (shape.size() > most && shape.back() == 1) shape.pop_back();
  if (shape.empty() || shape.size() > most)
    throw UsageError(
        fmt::format("a {} torus has 1 to {} axes, not {}", machine, most, shape.size()));
  return shape;
}

std::string link_name(int link) {
  constexpr std::string_view axes = "xyztuv";
  return {link % 2 == 0 ? '+' : '-', axes.at(static_cast<std::size_t>(link / 2))};
}

std::string shape_name(const std::vector<int>& shape) {
  return fmt::format("{}", fmt::join(shape, "x"));
}

}  // namespace ht::machine
