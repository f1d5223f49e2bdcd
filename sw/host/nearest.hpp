// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ht::host {

/// How many characters must be inserted, left out, replaced or swapped with their neighbour to make
/// `b` of `a` (optimal string alignment), whatever their case.
int edit_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, the first of several; empty if none is near enough to have been
/// meant: at most a third of the word's characters differ, or one is the beginning of the other.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// "; did you mean X?" for the nearest candidate, or nothing: the end of an error message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The same for a file that is missing: looks at the names beside it; if its folder is missing too,
/// says which part of the path is.
std::string did_you_mean_file(const std::filesystem::path& missing);

}  // namespace ht::host
