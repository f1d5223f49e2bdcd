// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/ranks/coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sw/host/errors.hpp"

namespace ht::tofu {
namespace {

constexpr std::array<unsigned, 6> bits{5, 5, 5, 1, 2, 1};
constexpr std::array<unsigned, 6> shift{0, 5, 10, 15, 16, 18};
constexpr std::array<int, 6> longest{32, 32, 32, 2, 3, 2};
constexpr std::array<std::size_t, 6> order{3, 4, 5, 0, 1, 2};  // of numbers
constexpr const char* axes = "XYZABC";

}  // namespace

std::uint32_t Coordinates::address() const {
  std::uint32_t result = 0;
  for (std::size_t i = 0; i < 6; ++i) result |= static_cast<std::uint32_t>(at[i]) << shift[i];
  return result;
}

Coordinates Coordinates::from_address(std::uint32_t address) {
  Coordinates result;
  for (std::size_t i = 0; i < 6; ++i)
    result.at[i] = static_cast<int>(address >> shift[i] & ((1U << bits[i]) - 1));
  return result;
}

model::tofu::Coordinates Coordinates::model() const {
  model::tofu::Coordinates result{};
  for (std::size_t i = 0; i < 6; ++i) result[i] = static_cast<unsigned>(at[i]);
  return result;
}

std::string text(const Coordinates& w) {
  return fmt::format("({},{},{} {},{},{})", w.at[0], w.at[1], w.at[2], w.at[3], w.at[4], w.at[5]);
}

void Shape::check() const {
  for (std::size_t i = 0; i < 6; ++i) {
    if (length[i] < 1 || length[i] > longest[i])
      throw UsageError(fmt::format("a Tofu machine with {} nodes along {}: 1 to {}", length[i],
                                   axes[i], longest[i]));
  }
}

int Shape::nodes() const {
  int n = 1;
  for (const int l : length) n *= l;
  return n;
}

bool Shape::contains(const Coordinates& where) const {
  for (std::size_t i = 0; i < 6; ++i) {
    if (where.at[i] < 0 || where.at[i] >= length[i]) return false;
  }
  return true;
}

Coordinates Shape::place(int node) const {
  if (node < 0 || node >= nodes())
    throw UsageError(fmt::format("there is no node {}; this machine has {}", node, nodes()));
  Coordinates result;
  for (const std::size_t axis : order) {
    result.at[axis] = node % length[axis];
    node /= length[axis];
  }
  return result;
}

std::vector<Coordinates> Shape::places(const std::vector<int>& which) const {
  std::vector<Coordinates> all;
  for (const int n : which) all.push_back(place(n));
  return all;
}

std::vector<Coordinates> Shape::first_places(int count) const {
  std::vector<Coordinates> all;
  for (int n = 0; n < count; ++n) all.push_back(place(n));
  return all;
}

int Shape::node(const Coordinates& where) const {
  int result = 0;
  for (auto axis = order.rbegin(); axis != order.rend(); ++axis)
    result = result * length[*axis] + where.at[*axis];
  return result;
}

int Shape::hops(const Coordinates& from, const Coordinates& to) const {
  int result = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const int d = std::abs(from.at[i] - to.at[i]);
    const bool round = i == 4 || (i < 3 && ring[i]);
    result += round ? std::min(d, length[i] - d) : d;
  }
  return result;
}

model::tofu::Shape Shape::model() const {
  model::tofu::Shape result;
  for (std::size_t i = 0; i < 6; ++i) result.length[i] = static_cast<unsigned>(length[i]);
  result.ring = ring;
  return result;
}

std::optional<Coordinates> Shape::neighbour(const Coordinates& from, int link) const {
  const auto found = model::tofu::neighbour(model(), from.model(), static_cast<unsigned>(link));
  if (!found) return std::nullopt;
  Coordinates result;
  for (std::size_t i = 0; i < 6; ++i) result.at[i] = static_cast<int>((*found)[i]);
  return result;
}

std::uint32_t Shape::register_value() const {
  Coordinates last;
  for (std::size_t i = 0; i < 6; ++i) last.at[i] = length[i] - 1;
  std::uint32_t result = last.address();
  for (std::size_t i = 0; i < 3; ++i) result |= ring[i] ? 1U << (24 + i) : 0U;
  return result;
}

Shape Shape::for_nodes(int nodes) {
  if (nodes < 1) throw UsageError(fmt::format("a Tofu machine of {} nodes: 1 at least", nodes));
  Shape shape;
  for (const std::size_t axis : {std::size_t{3}, std::size_t{4}, std::size_t{5}}) {
    while (shape.length[axis] < longest[axis] && shape.nodes() < nodes) ++shape.length[axis];
  }
  while (shape.nodes() < nodes) {
    const auto shortest = std::min_element(shape.length.begin(), shape.length.begin() + 3);
    ++*shortest;
  }
  shape.check();
  return shape;
}

}  // namespace ht::tofu
