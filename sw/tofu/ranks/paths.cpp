// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/ranks/paths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "sw/host/errors.hpp"
#include "verif/model/tofu/route.hpp"

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

/// Links in the direction they are used: their two ends.
using Links = std::set<std::pair<std::uint32_t, std::uint32_t>>;

Links links_of(const std::vector<Coordinates>& way) {
  Links links;
  for (std::size_t i = 1; i < way.size(); ++i)
    links.emplace(way[i - 1].address(), way[i].address());
  return links;
}

}  // namespace

std::uint32_t path_bits(const Path& path) {
  return Coordinates{{0, 0, 0, path[0], path[1], path[2]}}.address() >> 15;
}

bool is_path(const Shape& machine, const Path& path) {
  for (std::size_t i = 0; i < path.size(); ++i)
    if (path[i] >= machine.length[3 + i]) return false;
  return true;
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
  const std::vector<Path> paths = paths_between(machine, from, to, failed);
  std::vector<Links> links;
  for (const Path& path : paths) links.push_back(links_of(way(machine, from, to, path)));
  std::vector<std::size_t> chosen, best;
  // All subsets of the twelve paths at most, those of early, short paths first.
  const std::function<void(std::size_t, const Links&)> choose = [&](std::size_t next,
                                                                    const Links& used) {
    if (chosen.size() > best.size()) best = chosen;
    for (std::size_t p = next; p < paths.size() && best.size() < count; ++p) {
      if (std::any_of(links[p].begin(), links[p].end(),
                      [&](const auto& link) { return used.contains(link); }))
        continue;
      Links more = used;
      more.insert(links[p].begin(), links[p].end());
      chosen.push_back(p);
      choose(p + 1, more);
      chosen.pop_back();
    }
  };
  choose(0, {});
  std::vector<Path> result;
  for (const std::size_t p : best) result.push_back(paths[p]);
  return result;
}

}  // namespace ht::tofu
