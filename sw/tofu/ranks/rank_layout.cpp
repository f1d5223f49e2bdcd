// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/ranks/rank_layout.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "sw/host/errors.hpp"

namespace ht::tofu {

std::optional<int> RankLayout::rank(const Coordinates& node) const {
  const auto found = std::find(places.begin(), places.end(), node);
  if (found == places.end()) return std::nullopt;
  return static_cast<int>(found - places.begin());
}

Path RankLayout::way(int from, int to) const {
  if (path) return path(from, to);
  const Coordinates& there = places[static_cast<std::size_t>(to)];
  return {there.at[3], there.at[4], there.at[5]};
}

bool RankLayout::works(const Coordinates& node) const {
  return std::find(failed.begin(), failed.end(), node) == failed.end();
}

bool RankLayout::ours(const Coordinates& node) const {
  return works(node) && std::find(others.begin(), others.end(), node) == others.end();
}

std::vector<Coordinates> RankLayout::avoided() const {
  return RankOptions{.failed = failed, .others = others}.avoided();
}

std::vector<int> RankLayout::coordinates(int rank) const {
  std::vector<int> c;
  for (const int length : shape) {
    c.push_back(rank % length);
    rank /= length;
  }
  return c;
}

int RankLayout::rank_of(const std::vector<int>& coordinates) const {
  int rank = 0;
  for (std::size_t a = shape.size(); a-- > 0;) rank = rank * shape[a] + coordinates[a];
  return rank;
}

void RankLayout::check(const Shape& machine) const {
  std::size_t ranks = shape.empty() || shape.size() > 6 ? 0 : 1;
  for (const int length : shape) ranks *= static_cast<std::size_t>(std::max(length, 0));
  if (ranks == 0 || ranks != places.size())
    throw UsageError(fmt::format("a torus of {} has not {} ranks; it has 1 to 6 axes",
                                 fmt::join(shape, "x"), places.size()));
  std::set<std::uint32_t> seen;
  for (const Coordinates& place : places) {
    if (!machine.contains(place) || !ours(place))
      throw UsageError(fmt::format("a rank at {}, where there is no node", text(place)));
    if (!seen.insert(place.address()).second)
      throw UsageError(fmt::format("two ranks at {}", text(place)));
  }
}

std::shared_ptr<const RankLayout> RankLayout::straight(const Shape& machine) {
  auto layout = std::make_shared<RankLayout>();
  std::vector<std::size_t> axes;
  for (std::size_t a = 0; a < 6; ++a) {
    if (machine.length[a] > 1) axes.push_back(a);
  }
  if (axes.empty()) axes.push_back(0);
  for (const std::size_t a : axes) layout->shape.push_back(machine.length[a]);
  for (int rank = 0; rank < machine.nodes(); ++rank) {
    const std::vector<int> c = layout->coordinates(rank);
    Coordinates place;
    for (std::size_t i = 0; i < axes.size(); ++i) place.at[axes[i]] = c[i];
    layout->places.push_back(place);
  }
  return layout;
}

std::shared_ptr<const RankLayout> RankLayout::of(RankMap map) {
  auto layout = std::make_shared<RankLayout>();
  layout->shape = map.torus();
  layout->places = map.nodes();
  layout->others = map.options().others;
  layout->failed = map.options().failed;
  if (!layout->avoided().empty())
    layout->path = [map = std::move(map)](int from, int to) { return map.path(from, to); };
  return layout;
}

}  // namespace ht::tofu
