// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "sw/host/errors.hpp"
#include "verif/model/tofu_route.hpp"

namespace ht::tofu {
namespace {

Path own_place(const Coordinates& node) {
  return {node.at[3], node.at[4], node.at[5]};
}

bool meets(const std::vector<Coordinates>& way, const std::vector<Coordinates>& failed) {
  return std::any_of(way.begin(), way.end(), [&](const Coordinates& place) {
    return std::find(failed.begin(), failed.end(), place) != failed.end();
  });
}

}  // namespace

std::uint32_t path_bits(const Path& path) {
  return Coordinates{{0, 0, 0, path[0], path[1], path[2]}}.address() >> 15;
}

std::vector<Coordinates> way(const Shape& machine, const Coordinates& from, const Coordinates& to,
                             const Path& path) {
  const Coordinates turn{{0, 0, 0, path[0], path[1], path[2]}};
  for (const Coordinates& end : {from, to, turn}) {
    if (!machine.contains(end))
      throw UsageError(fmt::format("a way from {} to {} by path {}{}{}: {} is outside the machine",
                                   text(from), text(to), path[0], path[1], path[2],
                                   &end == &turn ? "the path" : text(end)));
  }
  const model::tofu::Shape shape = machine.model();
  model::tofu::Journey journey;
  journey.from = from.model();
  journey.to = to.model();
  journey.path = turn.model();
  std::vector<Coordinates> result{from};
  while (const auto hop = model::tofu::next_hop(shape, result.back().model(), journey)) {
    journey.leg = hop->leg;
    const auto next = machine.neighbour(result.back(), static_cast<int>(hop->port));
    if (!next) throw UsageError("a way over a cable there is not");
    result.push_back(*next);
  }
  return result;
}

std::vector<Path> paths_between(const Shape& machine, const Coordinates& from,
                                const Coordinates& to, const std::vector<Coordinates>& failed) {
  struct Found {
    std::size_t hops;
    bool other;
    Path path;
  };
  std::vector<Found> found;
  for (int a = 0; a < machine.length[3]; ++a) {
    for (int b = 0; b < machine.length[4]; ++b) {
      for (int c = 0; c < machine.length[5]; ++c) {
        const Path path{a, b, c};
        const std::vector<Coordinates> there = way(machine, from, to, path);
        if (meets(there, failed)) continue;
        if (!failed.empty() && meets(way(machine, to, from, path), failed)) continue;
        found.push_back({there.size(), path != own_place(to), path});
      }
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Found& l, const Found& r) {
    return l.hops != r.hops ? l.hops < r.hops : l.other < r.other;
  });
  std::vector<Path> result;
  for (const Found& f : found) result.push_back(f.path);
  return result;
}

std::vector<Path> disjoint_paths(const Shape& machine, const Coordinates& from,
                                 const Coordinates& to, std::size_t count,
                                 const std::vector<Coordinates>& failed) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> used;  // a link is its two ends, in order
  std::vector<Path> result;
  for (const Path& path : paths_between(machine, from, to, failed)) {
    if (result.size() == count) break;
    const std::vector<Coordinates> places = way(machine, from, to, path);
    std::set<std::pair<std::uint32_t, std::uint32_t>> links;
    for (std::size_t i = 1; i < places.size(); ++i)
      links.emplace(places[i - 1].address(), places[i].address());
    if (std::any_of(links.begin(), links.end(), [&](const auto& l) { return used.contains(l); }))
      continue;
    used.merge(links);
    result.push_back(path);
  }
  return result;
}

}  // namespace ht::tofu
