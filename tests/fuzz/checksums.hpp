// SPDX-License-Identifier: Apache-2.0
#pragma once
// Checksums of changed files, put right: else no change of the data would get past them.
#include <cstddef>
#include <optional>
#include <vector>

#include "tests/fuzz/property.hpp"

namespace ht::fuzz {

using File = std::vector<std::byte>;

/// Each puts the file's checksums right, as far as it has the records or keys for them; nothing if
/// it is no file of that format, or has no place for them. `site_bytes`: of the data of a LIME
/// file.
std::optional<File> repaired_lime(const File& file, std::size_t site_bytes);
std::optional<File> repaired_nersc(const File& file);
std::optional<File> repaired_milc(const File& file);

}  // namespace ht::fuzz
