// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/wave_file_check.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>

#include "sw/host/errors.hpp"

namespace ht::machine {
namespace {

// Kinds of blocks, as GTKWave's fstapi.h has them. A block is its kind, the length of the rest (8
// bytes, the highest first, itself included) and the rest.
enum Kind : std::uint8_t {
  Header = 0,
  Geometry = 3,
  Hierarchy = 4,
  HierarchyLz4 = 6,
  HierarchyLz4Twice = 7,
  Unfinished = 255,
};

bool is_complete(std::ifstream& in) {
  bool header = false, geometry = false, hierarchy = false;
  in.seekg(0, std::ios::end);
  const auto end = static_cast<std::uint64_t>(in.tellg());
  std::uint64_t at = 0;
  while (at < end) {
    std::array<char, 9> head{};
    in.seekg(static_cast<std::streamoff>(at));
    if (!in.read(head.data(), head.size())) return false;
    std::uint64_t length = 0;
    for (std::size_t i = 1; i < head.size(); ++i)
      length = length << 8 | static_cast<std::uint8_t>(head[i]);
    if (length < 8 || length > end - at - 1) return false;
    const auto kind = static_cast<std::uint8_t>(head[0]);
    if (kind == Unfinished) return false;
    header = header || kind == Header;
    geometry = geometry || kind == Geometry;
    hierarchy = hierarchy || kind == Hierarchy || kind == HierarchyLz4 || kind == HierarchyLz4Twice;
    at += 1 + length;
  }
  return header && geometry && hierarchy;
}

}  // namespace

void check_wave_file(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || !is_complete(in))
    throw DataError(
        fmt::format("the waves {} are incomplete: is the disk full, or a limit of file sizes "
                    "reached? Trace fewer nodes, or a shorter time",
                    file));
}

}  // namespace ht::machine
