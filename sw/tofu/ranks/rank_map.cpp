// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/ranks/rank_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "sw/host/errors.hpp"
#include "sw/qmp/closed_walk.hpp"

namespace ht::tofu {
namespace {

constexpr const char* axes = "XYZABC";
constexpr std::size_t axis_z = 2, axis_b = 4;

/// What is in the way: failed nodes are named, other jobs' are counted.
std::string obstacles(const RankOptions& options) {
  std::string failed;
  for (const Coordinates& n : options.failed) failed += (failed.empty() ? "" : ", ") + text(n);
  const std::size_t count = options.others.size();
  const std::string others =
      count == 1 ? "a node of another job" : fmt::format("{} nodes of other jobs", count);
  if (failed.empty()) return others;
  return "the failed nodes " + failed + (count == 0 ? "" : " and " + others);
}

/// For every place of the user's axis, that of each space.
std::vector<std::vector<int>> merge(const RankPlan& plan, const std::vector<std::size_t>& spaces) {
  std::vector<qmp::Axis> rings;
  for (const std::size_t s : spaces) rings.push_back({plan.length[s], true});
  return qmp::closed_walk(rings);
}

void check(const Shape& machine, const std::vector<int>& torus, const RankOptions& options) {
  machine.check();
  if (torus.empty() || torus.size() > 3)
    throw UsageError(
        fmt::format("a torus of {} axes: Tofu's ranks are a torus of 1 to 3", torus.size()));
  for (const int length : torus) {
    if (length < 1)
      throw UsageError(
          fmt::format("a torus of {}: every axis is at least 1 long", fmt::join(torus, "x")));
  }
  for (const Coordinates& failed : options.avoided()) {
    if (!machine.contains(failed))
      throw UsageError(fmt::format("failed node {}: a machine of {} has no such node", text(failed),
                                   fmt::join(machine.length, "x")));
  }
}

}  // namespace

RankMap::RankMap(const Shape& machine, std::vector<int> torus, RankOptions options)
    : machine_(machine), torus_(std::move(torus)), options_(std::move(options)) {
  check(machine_, torus_, options_);
  const RankPlanner planner(machine_, options_);
  const std::int64_t wanted =
      std::accumulate(torus_.begin(), torus_.end(), std::int64_t{1}, std::multiplies<>{});
  const int compute = machine_.nodes() / machine_.length[axis_z] * planner.rows(axis_z);
  const std::string what = fmt::format("a torus of {} on a machine of {}", fmt::join(torus_, "x"),
                                       fmt::join(machine_.length, "x"));
  if (wanted > compute)
    throw UsageError(fmt::format("{}: {} ranks, but {} nodes that can hold one{}", what, wanted,
                                 compute,
                                 compute < machine_.nodes() ? "; those with Z = 0 do I/O" : ""));
  const std::vector<RankPlan> plans = planner.plans(torus_);
  if (plans.empty())
    throw UsageError(
        fmt::format("{}: no neighbours that are adjacent all round. Each axis goes over one of "
                    "X, Y, Z and one of A, B, C: with A or C it can be 1 or even, twice the "
                    "first at most; only one, with B, can be odd, three times at most",
                    what));

  const auto fit = planner.first_fit(plans);
  if (!fit)
    throw UsageError(
        fmt::format("{}: no room round {}; ask for a smaller torus", what, obstacles(options_)));
  const RankPlan& plan = fit->plan;
  nodes_ = {Coordinates{}};
  for (const auto& spaces : plan.merged) {
    const std::vector<Coordinates> before = std::move(nodes_);
    nodes_.clear();
    for (const auto& place : merge(plan, spaces)) {
      for (Coordinates node : before) {
        for (std::size_t i = 0; i < spaces.size(); ++i) {
          const std::size_t s = spaces[i];
          const auto& step = fit->walks[s][static_cast<std::size_t>(place[i])];
          node.at[plan.row[s]] = fit->origin[s] + step[0];
          node.at[plan.column[s]] = step[1];
        }
        nodes_.push_back(node);
      }
    }
    if (&spaces != &plan.merged.front()) spaces_ += ", ";
    if (spaces.empty()) spaces_ += "-";
    for (const std::size_t s : spaces) spaces_ += {axes[plan.row[s]], axes[plan.column[s]]};
  }
  for (int r = 0; const Coordinates& node : nodes_) ranks_.emplace(node.address(), r++);
}

RankMap RankMap::largest(const Shape& machine, const RankOptions& options) {
  check(machine, {1}, options);
  const RankPlanner planner(machine, options);
  const auto side = [&](std::size_t row) { return planner.rows(row); };
  std::optional<std::string> first;
  for (int y = side(1) * machine.length[axis_b]; y > 0; --y) {
    try {
      return {machine, {side(0) * machine.length[3], y, side(2) * machine.length[5]}, options};
    } catch (const UsageError& e) {
      if (!first) first = e.what();
    }
  }
  throw UsageError(*first);
}

std::string RankMap::description() const {
  return fmt::format("{} as {}", fmt::join(torus_, "x"), spaces_);
}

const Coordinates& RankMap::node(int rank) const {
  if (rank < 0 || rank >= ranks())
    throw UsageError(fmt::format("there is no rank {}; a torus of {} has {}", rank,
                                 fmt::join(torus_, "x"), ranks()));
  return nodes_[static_cast<std::size_t>(rank)];
}

std::optional<int> RankMap::rank(const Coordinates& node) const {
  const auto found = ranks_.find(node.address());
  if (found == ranks_.end() || !machine_.contains(node)) return std::nullopt;
  return found->second;
}

std::vector<int> RankMap::position(int rank) const {
  node(rank);
  std::vector<int> result;
  for (const int length : torus_) {
    result.push_back(rank % length);
    rank /= length;
  }
  return result;
}

int RankMap::rank_at(const std::vector<int>& position) const {
  int result = 0;
  if (position.size() != torus_.size())
    throw UsageError(fmt::format("a place of {} coordinates in a torus of {}", position.size(),
                                 fmt::join(torus_, "x")));
  for (std::size_t axis = torus_.size(); axis-- > 0;) {
    if (position[axis] < 0 || position[axis] >= torus_[axis])
      throw UsageError(fmt::format("there is no place {} in a torus of {}",
                                   fmt::join(position, ","), fmt::join(torus_, "x")));
    result = result * torus_[axis] + position[axis];
  }
  return result;
}

int RankMap::neighbour(int rank, int axis, bool forwards) const {
  std::vector<int> place = position(rank);
  if (axis < 0 || axis >= static_cast<int>(torus_.size()))
    throw UsageError(
        fmt::format("there is no axis {} in a torus of {}", axis, fmt::join(torus_, "x")));
  const auto a = static_cast<std::size_t>(axis);
  place[a] = (place[a] + (forwards ? 1 : torus_[a] - 1)) % torus_[a];
  return rank_at(place);
}

std::vector<Path> RankMap::paths(int from, int to) const {
  std::vector<Path> result = paths_between(machine_, node(from), node(to), options_.avoided());
  if (result.empty())
    throw UsageError(
        fmt::format("rank {} at {} cannot reach rank {} at {}: every path meets one "
                    "of {}",
                    from, text(node(from)), to, text(node(to)), obstacles(options_)));
  return result;
}

}  // namespace ht::tofu
