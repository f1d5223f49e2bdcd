// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

namespace ht::program {

/// "halo.c:12": the source of the instruction at `offset` in the image of an ELF file, asked of
/// addr2line (binutils). Without it, or where the file has no information for debuggers, "line
/// unknown: ..." with what would help.
std::string source_line(const std::string& file, std::uint64_t offset);

}  // namespace ht::program
