// SPDX-License-Identifier: Apache-2.0
#include "sw/host/nearest.hpp"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "sw/host/folder.hpp"

namespace ht::host {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Dashes in front are the same for all options and say nothing about likeness.
std::string_view without_dashes(std::string_view word) {
  const std::size_t begin = word.find_first_not_of('-');
  return begin == std::string_view::npos ? std::string_view{} : word.substr(begin);
}

}  // namespace

int edit_distance(std::string_view first, std::string_view second) {
  const std::string a = lower(first), b = lower(second);
  std::vector<std::vector<int>> d(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) d[i][0] = static_cast<int>(i);
  for (std::size_t j = 0; j <= b.size(); ++j) d[0][j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const int replaced = d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, replaced});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d[a.size()][b.size()];
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string_view core = without_dashes(word);
  if (core.empty()) return {};
  const int limit = std::max(1, static_cast<int>(core.size()) / 3);
  const std::string* best = nullptr;
  int best_distance = limit + 1;
  for (const std::string& candidate : candidates) {
    const std::string_view other = without_dashes(candidate);
    int distance = edit_distance(core, other);
    // Cut short, or written on: counts as a near miss, but behind real ones.
    const bool begins =
        core.size() >= 3 && other.size() >= 3 &&
        (lower(other).starts_with(lower(core)) || lower(core).starts_with(lower(other)));
    if (begins) distance = std::min(distance, limit);
    if (distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  return best == nullptr ? std::string() : *best;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string found = nearest(word, candidates);
  return found.empty() ? found : "; did you mean " + found + "?";
}

std::string did_you_mean_file(const std::filesystem::path& missing) {
  std::error_code error;
  // The first part of the path that is not there, beside the names that are.
  std::filesystem::path part = missing;
  while (part.has_relative_path() && part.has_parent_path() &&
         !std::filesystem::exists(part.parent_path(), error)) {
    if (part.parent_path() == part) return {};
    part = part.parent_path();
  }
  const auto folder = part.has_parent_path() ? part.parent_path() : std::filesystem::path(".");
  const std::string found = nearest(part.filename().string(), names_in(folder));
  if (!found.empty()) return "; did you mean " + (part.parent_path() / found).string() + "?";
  return part == missing ? std::string() : "; there is no " + part.string();
}

}  // namespace ht::host
