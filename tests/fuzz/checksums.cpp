// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/checksums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>

#include "sw/dirac/gauge/lime_records.hpp"

namespace ht::fuzz {
namespace {

namespace file = dirac::file;

void overwrite(File& file, std::size_t at, std::string_view text) {
  std::memcpy(file.data() + at, text.data(), text.size());
}

}  // namespace

std::optional<File> repaired_lime(const File& content, std::size_t site_bytes) {
  File changed = content;
  std::optional<std::string> sums;  // of the last data
  bool any = false;
  try {
    for (const file::LimeRecord& record : file::split_lime("", content)) {
      if (record.type.ends_with("-binary-data")) {
        const auto sum = file::scidac_checksum(record.data, site_bytes);
        sums = fmt::format("<suma>{:08x}</suma><sumb>{:08x}</sumb>", sum.a, sum.b);
      } else if (record.type == "scidac-checksum" && sums && record.data.size() >= sums->size()) {
        const auto at = static_cast<std::size_t>(record.data.data() - content.data());
        std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(at), record.data.size(),
                    std::byte{' '});
        overwrite(changed, at, *sums);
        any = true;
      }
    }
  } catch (const Error&) {
    return std::nullopt;
  }
  if (!any) return std::nullopt;
  return changed;
}

std::optional<File> repaired_nersc(const File& content) {
  const std::string_view all(reinterpret_cast<const char*>(content.data()), content.size());
  const std::size_t key = all.find("\nCHECKSUM"), end = all.find("END_HEADER");
  const std::size_t line_end = key == all.npos ? key : all.find('\n', key + 1);
  const std::size_t data = end == all.npos ? end : all.find('\n', end);
  constexpr std::string_view shape = "CHECKSUM=00000000";
  if (line_end == all.npos || data == all.npos || line_end > end ||
      line_end - key - 1 < shape.size())
    return std::nullopt;
  const auto order = all.find("LITTLE") < end ? std::endian::little : std::endian::big;
  const auto sum = file::nersc_checksum(file::Bytes(content).subspan(data + 1), order);
  File changed = content;
  overwrite(changed, key + 1, std::string(line_end - key - 1, ' '));
  overwrite(changed, key + 1, fmt::format("CHECKSUM={:08x}", sum));
  return changed;
}

std::optional<File> repaired_milc(const File& content) {
  constexpr std::size_t sum29_at = 88, sum31_at = 92, header = 96;
  if (!file::is_milc(content) || content.size() < header) return std::nullopt;
  constexpr std::uint32_t magic = 20103;
  const auto order = file::load<std::uint32_t>(content, 0, std::endian::big) == magic
                         ? std::endian::big
                         : std::endian::little;
  std::uint32_t sum29 = 0, sum31 = 0;
  for (std::size_t i = 0; header + 4 * i + 4 <= content.size(); ++i) {
    const auto word = file::load<std::uint32_t>(content, header + 4 * i, order);
    sum29 ^= std::rotl(word, static_cast<int>(i % 29));
    sum31 ^= std::rotl(word, static_cast<int>(i % 31));
  }
  File changed(content.begin(), content.begin() + sum29_at);
  file::append(changed, sum29, order);
  file::append(changed, sum31, order);
  static_assert(sum31_at + sizeof(std::uint32_t) == header);
  changed.insert(changed.end(), content.begin() + header, content.end());
  return changed;
}

}  // namespace ht::fuzz
