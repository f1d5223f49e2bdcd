// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/utofu/strip.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace ht::tofu {
namespace {

bool is_missing(const Strip& strip, int row, int column) {
  return std::find(strip.missing.begin(), strip.missing.end(), std::array{row, column}) !=
         strip.missing.end();
}

std::optional<StripWalk> along_a_row(const Strip& strip, int length) {
  StripWalk walk;
  for (int c = 0; c < strip.columns && static_cast<int>(walk.size()) < length; ++c)
    if (!is_missing(strip, 0, c)) walk.push_back({0, c});
  if (static_cast<int>(walk.size()) < length) return std::nullopt;
  return walk;
}

std::optional<StripWalk> along_a_column(const Strip& strip) {
  for (int c = 0; c < strip.columns; ++c) {
    StripWalk walk;
    for (int r = 0; r < strip.rows && !is_missing(strip, r, c); ++r) walk.push_back({r, c});
    if (static_cast<int>(walk.size()) == strip.rows) return walk;
  }
  return std::nullopt;
}

/// One strand leads down the rows, one up.
///
///   row 0   d - u    t: the row's third node, taken in by a strand or left out;
///           |   |       the strand goes on from it
///   row 1   d-t u
///             | |
///   last      d-u
class Strands {
 public:
  Strands(const Strip& strip, int length) : strip_(strip), thirds_(length - 2 * strip.rows) {}

  std::optional<StripWalk> walk() {
    if (thirds_ < 0 || thirds_ > strip_.rows) return std::nullopt;
    for (int down = 0; down < strip_.columns; ++down) {
      for (int up = 0; up < strip_.columns; ++up) {
        if (up == down || !free(0, down) || !free(0, up)) continue;
        for (const bool third : {true, false}) {
          if (third && !has_third(0, down, up)) continue;
          down_ = {{0, down}};
          up_.clear();
          if (third) up_.push_back({0, other(down, up)});
          up_.push_back({0, up});
          if (descend(1, down, up, thirds_ - (third ? 1 : 0))) {
            StripWalk result = down_;
            result.insert(result.end(), up_.rbegin(), up_.rend());
            return result;
          }
        }
      }
    }
    return std::nullopt;
  }

 private:
  bool free(int row, int column) const { return !is_missing(strip_, row, column); }
  static int other(int a, int b) { return 3 - a - b; }
  bool has_third(int row, int down, int up) const {
    return strip_.columns == 3 && free(row, other(down, up));
  }

  /// The rows from `row` on, entered at these columns, with so many third nodes still to be had.
  bool descend(int row, int down, int up, int thirds) {
    if (!free(row, down) || !free(row, up) || thirds < 0 || thirds > strip_.rows - row)
      return false;
    if (hopeless_.count({row, down, up, thirds}) != 0) return false;
    const bool last = row == strip_.rows - 1;
    const auto try_it = [&](bool third_down, bool third_up) {
      const std::size_t downs = down_.size(), ups = up_.size();
      const int third = other(down, up), left = thirds - (third_down || third_up ? 1 : 0);
      down_.push_back({row, down});
      up_.push_back({row, up});
      if (third_down) down_.push_back({row, third});
      if (third_up) up_.push_back({row, third});
      if (last ? left == 0
               : descend(row + 1, third_down ? third : down, third_up ? third : up, left))
        return true;
      down_.resize(downs);
      up_.resize(ups);
      return false;
    };
    if (has_third(row, down, up) && (try_it(true, false) || (!last && try_it(false, true))))
      return true;
    if (try_it(false, false)) return true;
    hopeless_.insert({row, down, up, thirds});
    return false;
  }

  const Strip& strip_;
  int thirds_;
  StripWalk down_, up_;  ///< both from row 0 on
  std::set<std::tuple<int, int, int, int>> hopeless_;
};

}  // namespace

std::optional<StripWalk> walk_round(const Strip& strip, int length) {
  if (length < 1 || length < strip.rows || length > strip.rows * strip.columns) return std::nullopt;
  if (strip.rows == 1) return along_a_row(strip, length);
  if (length == strip.rows && (length == 2 || strip.ring)) return along_a_column(strip);
  if (strip.columns < 2) return std::nullopt;
  return Strands(strip, length).walk();
}

}  // namespace ht::tofu
