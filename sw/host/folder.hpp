// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace ht::host {

/// The names in a folder, sorted; none if it cannot be read. Throws std::bad_alloc, where
/// std::filesystem::directory_iterator ends the process.
std::vector<std::string> names_in(const std::filesystem::path& folder);

}  // namespace ht::host
