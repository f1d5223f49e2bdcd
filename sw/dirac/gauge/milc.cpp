// SPDX-License-Identifier: Apache-2.0
// MILC version 5 binary format: 96-byte header, then float32 links in the byte order of the header.
#include <fmt/format.h>

#include "sw/dirac/gauge/gauge_file.hpp"

namespace ht::dirac::file {
namespace {

constexpr std::uint32_t kMagic = 20103;
constexpr std::size_t kDims = 4, kOrder = 84, kSum29 = 88, kSum31 = 92, kData = 96;

}  // namespace

bool is_milc(Bytes content) {
  return content.size() >= 4 && (load<std::uint32_t>(content, 0, std::endian::big) == kMagic ||
                                 load<std::uint32_t>(content, 0, std::endian::little) == kMagic);
}

Header read_milc(const std::filesystem::path& file, Bytes content) {
  if (content.size() < kData) {
    fail(file, "ends within its MILC header", "the file is truncated: fetch it again");
  }
  const std::endian order = load<std::uint32_t>(content, 0, std::endian::big) == kMagic
                                ? std::endian::big
                                : std::endian::little;
  Header header;
  header.storage = {.precision_bits = 32, .order = order, .rows = 3};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    header.lattice[axis] = load<std::int32_t>(content, kDims + 4 * axis, order);
  }
  if (const auto site_order = load<std::int32_t>(content, kOrder, order); site_order != 0) {
    fail(file, fmt::format("its MILC header gives site order {}", site_order),
         "only natural order (0) can be read: write it again with MILC's save_serial");
  }
  header.data = content.subspan(kData);
  check_size(file, header.lattice, header.storage, header.data.size());

  std::uint32_t sum29 = 0, sum31 = 0;
  for (std::size_t i = 0; i < header.data.size() / 4; ++i) {
    const auto word = load<std::uint32_t>(header.data, 4 * i, order);
    sum29 ^= std::rotl(word, static_cast<int>(i % 29));
    sum31 ^= std::rotl(word, static_cast<int>(i % 31));
  }
  const auto want29 = load<std::uint32_t>(content, kSum29, order);
  const auto want31 = load<std::uint32_t>(content, kSum31, order);
  if (sum29 != want29 || sum31 != want31) {
    fail(file,
         fmt::format("checksums are {:08x} {:08x}, its header says {:08x} {:08x}", sum29, sum31,
                     want29, want31),
         "the file is corrupted: fetch it again");
  }
  header.verified.push_back(fmt::format("checksums {:08x} {:08x}", sum29, sum31));
  header.format = "MILC v5";
  return header;
}

}  // namespace ht::dirac::file
