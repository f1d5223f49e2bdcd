// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/ranks/rank_plan.hpp"

#include <algorithm>

#include "sw/qmp/closed_walk.hpp"

namespace ht::tofu {
namespace {

constexpr std::size_t axis_z = 2, axis_b = 4;
using Three = std::array<int, 3>;

/// All ways to give three spaces to the user's axes, and lengths whose products are theirs.
void share_out(const std::vector<int>& torus, std::vector<RankPlan>& into) {
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
      RankPlan plan;
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

}  // namespace

RankPlanner::Rows RankPlanner::usable(std::size_t axis) const {
  const int length = machine_.length[axis];
  if (axis == axis_z && options_.io_nodes && length > 1) return {1, length - 1, false};
  return {0, length, machine_.ring[axis]};
}

Strip RankPlanner::strip(const RankPlan& plan, std::size_t space) const {
  const Rows all = usable(plan.row[space]);
  Strip result;
  result.rows = plan.rows[space];
  result.columns = machine_.length[plan.column[space]];
  result.ring = all.ring && all.count == result.rows;
  return result;
}

/// The fewest rows that do, if no node had failed; 0 if none do.
int RankPlanner::fewest_rows(RankPlan plan, std::size_t space) const {
  const int most = rows(plan.row[space]);
  for (int& r = plan.rows[space] = 1; r <= most; ++r)
    if (walk_round(strip(plan, space), plan.length[space])) return r;
  return 0;
}

/// Walks of the three spaces, the first rows at `origin`, that meet no failed node.
std::optional<std::array<StripWalk, 3>> RankPlanner::walks(const RankPlan& plan,
                                                           const Three& origin) const {
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
  // A failed node, or one of another job, is in the way if all three spaces come to its place in
  // them.
  for (const Coordinates& failed : avoided_) {
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

std::vector<Coordinates> RankOptions::avoided() const {
  std::vector<Coordinates> all = failed;
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

std::vector<RankPlan> RankPlanner::plans(const std::vector<int>& torus) const {
  std::vector<RankPlan> shares, result;
  share_out(torus, shares);
  for (RankPlan plan : shares) {
    std::array<std::size_t, 3> row{0, 1, 2};
    do {
      std::array<std::size_t, 3> column{3, 4, 5};
      do {
        plan.row = row;
        plan.column = column;
        RankPlan sized = plan;
        for (std::size_t s = 0; s < 3; ++s) sized.rows[s] = fewest_rows(plan, s);
        if (sized.volume() > 0) result.push_back(sized);
      } while (std::next_permutation(column.begin(), column.end()));
    } while (std::next_permutation(row.begin(), row.end()));
  }
  // Going round failed nodes can need more rows.
  const std::size_t planned = result.size();
  for (std::size_t p = 0; p < planned && !avoided_.empty(); ++p) {
    const auto s = static_cast<std::size_t>(
        std::find(result[p].column.begin(), result[p].column.end(), axis_b) -
        result[p].column.begin());
    const int most = std::min(rows(result[p].row[s]), result[p].length[s]);
    for (int r = result[p].rows[s] + 1; r <= most; ++r) {
      result.push_back(result[p]);
      result.back().rows[s] = r;
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const RankPlan& l, const RankPlan& r) { return l.volume() < r.volume(); });
  return result;
}

std::optional<RankFit> RankPlanner::first_fit(const std::vector<RankPlan>& plans) const {
  for (const RankPlan& plan : plans) {
    Three first{}, places{};
    for (std::size_t s = 0; s < 3; ++s) {
      first[s] = usable(plan.row[s]).first;
      places[s] = rows(plan.row[s]) - plan.rows[s] + 1;
    }
    for (int i = 0; i < places[0] * places[1] * places[2]; ++i) {
      const Three origin{first[0] + i % places[0], first[1] + i / places[0] % places[1],
                         first[2] + i / (places[0] * places[1])};
      if (auto found = walks(plan, origin)) return RankFit{plan, origin, std::move(*found)};
    }
  }
  return std::nullopt;
}

}  // namespace ht::tofu
