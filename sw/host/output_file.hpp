// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string_view>

namespace ht::host {

/// Where `file` leads: symbolic links followed to their end, which need not exist yet. Throws
/// DataError for links that run in a circle.
std::filesystem::path link_target(const std::filesystem::path& file);

/// Throws DataError, with the reason, if `file` could not be written later: before hours of work,
/// not after. Whether a disk will have room, or a device take what it gets, cannot be known before.
void check_writable(const std::filesystem::path& file);

/// The same for a file whose writer moves about in it (waves): a device or a FIFO is refused, too.
void check_writable_regular(const std::filesystem::path& file);

/// Whether write_file() puts a new file in its place, and does not write through it.
bool is_replaced(const std::filesystem::path& file);

/// Writes the whole of `content`. A regular file appears complete or not at all, also one that
/// symbolic links lead to, which stay; a device, a FIFO or what a process has open (/dev/stdout) is
/// written through. Throws DataError with the reason.
void write_file(const std::filesystem::path& file, std::string_view content);

}  // namespace ht::host
