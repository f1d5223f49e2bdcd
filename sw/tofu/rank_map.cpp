// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/rank_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "sw/host/errors.hpp"
#include "sw/qmp/closed_walk.hpp"
#include "sw/tofu/strip.hpp"

namespace ht::tofu {
namespace {

constexpr const char* axes = "XYZABC";
constexpr std::size_t axis_z = 2, axis_b = 4;
using Three = std::array<int, 3>;

std::string list(const std::vector<Coordinates>& nodes) {
  std::string result;
  for (const Coordinates& n : nodes) result += (result.empty() ? "" : ", ") + text(n);
  return result;
}

/// Rows along an axis that ranks may be on: the first, how many, and whether they are a ring.
struct Rows {
  int first = 0, count = 1;
  bool ring = false;
};

/// Three spaces, in the order of the user's axes: which two axes of the machine each is made of,
/// its length, and how many rows it takes.
struct Plan {
  std::array<std::size_t, 3> row{}, column{};
  Three length{}, rows{};
  std::vector<std::vector<std::size_t>> merged;  ///< the spaces of each of the user's axes
  int volume() const { return rows[0] * rows[1] * rows[2]; }
};

/// A plan, at a place of the machine where it meets no failed node.
struct Fit {
  const Plan* plan;
  Three origin;                    ///< the first row of each space
  std::array<StripWalk, 3> walks;  ///< rows counted from there
};

struct Search {
  const Shape& machine;
  const RankOptions& options;

  Rows rows(std::size_t axis) const {
    const int length = machine.length[axis];
    if (axis == axis_z && options.io_nodes && length > 1) return {1, length - 1, false};
    return {0, length, machine.ring[axis]};
  }

  Strip strip(const Plan& plan, std::size_t space) const {
    const Rows all = rows(plan.row[space]);
    Strip result;
    result.rows = plan.rows[space];
    result.columns = machine.length[plan.column[space]];
    result.ring = all.ring && all.count == result.rows;
    return result;
  }

  /// The fewest rows that do, if no node had failed; 0 if none do.
  int fewest_rows(Plan plan, std::size_t space) const {
    const int most = rows(plan.row[space]).count;
    for (int& r = plan.rows[space] = 1; r <= most; ++r)
      if (walk_round(strip(plan, space), plan.length[space])) return r;
    return 0;
  }

  /// Walks of the three spaces, the first rows at `origin`, that meet no failed node.
  std::optional<std::array<StripWalk, 3>> walks(const Plan& plan, const Three& origin) const {
    std::array<StripWalk, 3> result;
    std::array<Strip, 3> strips;
    std::size_t space_of_b = 0;
    for (std::size_t s = 0; s < 3; ++s) {
      strips[s] = strip(plan, s);
      const auto walk = walk_round(strips[s], plan.length[s]);
      if (walk) result[s] = *walk;
      if (plan.column[s] == axis_b)
        space_of_b = s;
      else if (!walk)
        return std::nullopt;
    }
    // A failed node is in the way if all three spaces come to its place in them.
    for (const Coordinates& failed : options.failed) {
      std::array<std::array<int, 2>, 3> place;
      bool met = true;
      for (std::size_t s = 0; s < 3; ++s) {
        place[s] = {failed.at[plan.row[s]] - origin[s], failed.at[plan.column[s]]};
        met = met && (s == space_of_b ||
                      std::find(result[s].begin(), result[s].end(), place[s]) != result[s].end());
      }
      if (met) strips[space_of_b].missing.push_back(place[space_of_b]);
    }
    const auto walk = walk_round(strips[space_of_b], plan.length[space_of_b]);
    if (!walk) return std::nullopt;
    result[space_of_b] = *walk;
    return result;
  }

  /// Every plan for a torus, the smallest part of the machine first.
  std::vector<Plan> plans(const std::vector<int>& torus) const;

  std::optional<Fit> first_fit(const std::vector<Plan>& plans) const;
};

/// All ways to give three spaces to the user's axes, and lengths whose products are theirs.
void share_out(const std::vector<int>& torus, std::vector<Plan>& into) {
  // Axes of length 1 take no space; those that are longer share the three.
  std::vector<std::size_t> longer;
  for (std::size_t axis = 0; axis < torus.size(); ++axis)
    if (torus[axis] > 1) longer.push_back(axis);
  std::vector<std::vector<std::vector<std::size_t>>> shares{{{0, 1, 2}}};
  if (longer.size() == 2) shares = {{{0}, {1, 2}}, {{0, 1}, {2}}};
  if (longer.size() == 3) shares = {{{0}, {1}, {2}}};
  if (longer.empty()) longer = {0};
  std::vector<std::vector<std::vector<std::size_t>>> ways;
  for (const auto& share : shares) {
    ways.emplace_back(torus.size());
    for (std::size_t i = 0; i < longer.size(); ++i) ways.back()[longer[i]] = share[i];
  }
  for (const auto& merged : ways) {
    std::vector<Three> lengths{{1, 1, 1}};
    for (std::size_t axis = 0; axis < torus.size(); ++axis) {
      if (merged[axis].empty()) continue;
      std::vector<Three> next;
      for (const Three& given : lengths) {
        // Divisors for all of the axis' spaces but the last, which gets what remains.
        const auto divide = [&](const auto& self, Three l, std::size_t i, int left) -> void {
          if (i + 1 == merged[axis].size()) {
            l[merged[axis][i]] = left;
            next.push_back(l);
            return;
          }
          for (int d = 1; d <= left; ++d) {
            if (left % d != 0) continue;
            l[merged[axis][i]] = d;
            self(self, l, i + 1, left / d);
          }
        };
        divide(divide, given, 0, torus[axis]);
      }
      lengths = next;
    }
    for (const Three& length : lengths) {
      Plan plan;
      plan.length = length;
      plan.merged = merged;
      const bool closes = std::all_of(merged.begin(), merged.end(), [&](const auto& spaces) {
        std::vector<qmp::Axis> rings;
        for (const std::size_t s : spaces) rings.push_back({length[s], true});
        return !qmp::why_not_closed(rings);
      });
      if (closes) into.push_back(plan);
    }
  }
}

std::vector<Plan> Search::plans(const std::vector<int>& torus) const {
  std::vector<Plan> shares, result;
  share_out(torus, shares);
  for (Plan plan : shares) {
    std::array<std::size_t, 3> row{0, 1, 2};
    do {
      std::array<std::size_t, 3> column{3, 4, 5};
      do {
        plan.row = row;
        plan.column = column;
        Plan sized = plan;
        for (std::size_t s = 0; s < 3; ++s) sized.rows[s] = fewest_rows(plan, s);
        if (sized.volume() > 0) result.push_back(sized);
      } while (std::next_permutation(column.begin(), column.end()));
    } while (std::next_permutation(row.begin(), row.end()));
  }
  // Going round failed nodes can need more rows.
  const std::size_t planned = result.size();
  for (std::size_t p = 0; p < planned && !options.failed.empty(); ++p) {
    const auto s = static_cast<std::size_t>(
        std::find(result[p].column.begin(), result[p].column.end(), axis_b) -
        result[p].column.begin());
    const int most = std::min(rows(result[p].row[s]).count, result[p].length[s]);
    for (int r = result[p].rows[s] + 1; r <= most; ++r) {
      result.push_back(result[p]);
      result.back().rows[s] = r;
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Plan& l, const Plan& r) { return l.volume() < r.volume(); });
  return result;
}

std::optional<Fit> Search::first_fit(const std::vector<Plan>& plans) const {
  for (const Plan& plan : plans) {
    Three first{}, places{};
    for (std::size_t s = 0; s < 3; ++s) {
      first[s] = rows(plan.row[s]).first;
      places[s] = rows(plan.row[s]).count - plan.rows[s] + 1;
    }
    for (int i = 0; i < places[0] * places[1] * places[2]; ++i) {
      const Three origin{first[0] + i % places[0], first[1] + i / places[0] % places[1],
                         first[2] + i / (places[0] * places[1])};
      if (auto found = walks(plan, origin)) return Fit{&plan, origin, std::move(*found)};
    }
  }
  return std::nullopt;
}

/// For every place of the user's axis, that of each space.
std::vector<std::vector<int>> merge(const Plan& plan, const std::vector<std::size_t>& spaces) {
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
  for (const Coordinates& failed : options.failed) {
    if (!machine.contains(failed))
      throw UsageError(fmt::format("failed node {}: a machine of {} has no such node", text(failed),
                                   fmt::join(machine.length, "x")));
  }
}

}  // namespace

RankMap::RankMap(const Shape& machine, std::vector<int> torus, RankOptions options)
    : machine_(machine), torus_(std::move(torus)), options_(std::move(options)) {
  check(machine_, torus_, options_);
  const Search search{machine_, options_};
  const std::int64_t wanted =
      std::accumulate(torus_.begin(), torus_.end(), std::int64_t{1}, std::multiplies<>{});
  const int compute = machine_.nodes() / machine_.length[axis_z] * search.rows(axis_z).count;
  const std::string what = fmt::format("a torus of {} on a machine of {}", fmt::join(torus_, "x"),
                                       fmt::join(machine_.length, "x"));
  if (wanted > compute)
    throw UsageError(fmt::format("{}: {} ranks, but {} nodes that can hold one{}", what, wanted,
                                 compute,
                                 compute < machine_.nodes() ? "; those with Z = 0 do I/O" : ""));
  const std::vector<Plan> plans = search.plans(torus_);
  if (plans.empty())
    throw UsageError(
        fmt::format("{}: no neighbours that are adjacent all round. Each axis goes over one of "
                    "X, Y, Z and one of A, B, C: with A or C it can be 1 or even, twice the "
                    "first at most; only one, with B, can be odd, three times at most",
                    what));

  const auto fit = search.first_fit(plans);
  if (!fit)
    throw UsageError(fmt::format("{}: no room round the failed nodes {}; ask for a smaller torus",
                                 what, list(options_.failed)));
  const Plan& plan = *fit->plan;
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
  const Search search{machine, options};
  const auto side = [&](std::size_t row) { return search.rows(row).count; };
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
  std::vector<Path> result = paths_between(machine_, node(from), node(to), options_.failed);
  if (result.empty())
    throw UsageError(
        fmt::format("rank {} at {} cannot reach rank {} at {}: every path meets one "
                    "of the failed nodes {}",
                    from, text(node(from)), to, text(node(to)), list(options_.failed)));
  return result;
}

}  // namespace ht::tofu
