// SPDX-License-Identifier: Apache-2.0
// ILDG configurations and SciDAC files in LIME: records of a 144-byte header and data padded to 8.
#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <map>

#include "sw/dirac/gauge_file.hpp"

namespace ht::dirac::file {
namespace {

constexpr std::uint32_t kMagic = 0x456789ab;
constexpr std::size_t kHeader = 144, kTypeAt = 16, kTypeLength = 128;
constexpr const char* kRefetch = "the file is damaged: fetch it again";

/// The first record of each type.
using Records = std::map<std::string, Bytes, std::less<>>;

Records split(const std::filesystem::path& file, Bytes content) {
  Records records;
  std::size_t at = 0;
  while (at < content.size()) {
    const std::size_t left = content.size() - at;
    if (left < kHeader) {
      fail(file, fmt::format("ends within the LIME record header at byte {}", at),
           "the file is truncated: fetch it again");
    }
    if (load<std::uint32_t>(content, at, std::endian::big) != kMagic ||
        load<std::uint16_t>(content, at + 4, std::endian::big) != 1) {
      fail(file, fmt::format("has no LIME version 1 record header at byte {}", at), kRefetch);
    }
    const auto length = load<std::uint64_t>(content, at + 8, std::endian::big);
    const char* type = reinterpret_cast<const char*>(content.data() + at + kTypeAt);
    const std::string name(type, strnlen(type, kTypeLength));
    if (length > left - kHeader) {
      fail(file,
           fmt::format("its LIME record '{}' is {} bytes long, but only {} are left", name, length,
                       left - kHeader),
           "the file is truncated: fetch it again");
    }
    records.try_emplace(name, content.subspan(at + kHeader, length));
    // The padding of the last record may be missing.
    at += std::min<std::uint64_t>(left, kHeader + (length + 7) / 8 * 8);
  }
  return records;
}

std::string_view text_of(const Records& records, std::string_view type) {
  const auto it = records.find(type);
  if (it == records.end()) return {};
  return {reinterpret_cast<const char*>(it->second.data()), it->second.size()};
}

/// What stands between <tag> and </tag>; empty if there is no such element.
std::string_view element(std::string_view xml, std::string_view tag) {
  const std::string open = fmt::format("<{}>", tag), close = fmt::format("</{}>", tag);
  const auto begin = xml.find(open);
  if (begin == std::string_view::npos) return {};
  const auto end = xml.find(close, begin);
  if (end == std::string_view::npos) return {};
  return xml.substr(begin + open.size(), end - begin - open.size());
}

/// The number in an element; nothing if the element is missing or empty. Throws if it is no number.
template <class T, class... Base>
std::optional<T> number(const std::filesystem::path& file, std::string_view xml,
                        std::string_view tag, Base... base) {
  std::string_view s = element(xml, tag);
  while (!s.empty() && s.front() == ' ') s.remove_prefix(1);
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  if (s.empty()) return std::nullopt;
  T value{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base...);
  if (error != std::errc{} || end != s.data() + s.size()) {
    fail(file, fmt::format("its XML has <{}>{}</{}>, which is no number", tag, s, tag), kRefetch);
  }
  return value;
}

/// Lattice and precision from ildg-format, or else from SciDAC's own records.
void read_format(const std::filesystem::path& file, const Records& records, Header& header) {
  if (const std::string_view xml = text_of(records, "ildg-format"); !xml.empty()) {
    constexpr std::string_view kTags[] = {"lx", "ly", "lz", "lt"};
    for (std::size_t axis = 0; axis < 4; ++axis) {
      const auto extent = number<int>(file, xml, kTags[axis]);
      if (!extent) fail(file, fmt::format("its ildg-format has no <{}>", kTags[axis]), kRefetch);
      header.lattice[axis] = *extent;
    }
    const int precision = number<int>(file, xml, "precision").value_or(0);
    if (precision != 32 && precision != 64) {
      fail(file, fmt::format("its ildg-format gives precision {}", precision),
           "only 32 and 64 can be read");
    }
    header.storage.precision_bits = precision;
    header.format = "ILDG/LIME";
    return;
  }
  const std::string dims(element(text_of(records, "scidac-private-file-xml"), "dims"));
  const auto precision = element(text_of(records, "scidac-private-record-xml"), "precision");
  const int found = std::sscanf(dims.c_str(), "%d %d %d %d", &header.lattice[0], &header.lattice[1],
                                &header.lattice[2], &header.lattice[3]);
  if (found != 4 || (precision != "D" && precision != "F")) {
    fail(file, "says neither in ildg-format nor in SciDAC records what lattice it holds",
         "the file is damaged or no gauge configuration: fetch it again");
  }
  header.storage.precision_bits = precision == "D" ? 64 : 32;
  header.format = "SciDAC/LIME";
}

void verify_checksum(const std::filesystem::path& file, const Records& records, Header& header) {
  const std::string_view xml = text_of(records, "scidac-checksum");
  if (xml.empty()) return;  // ILDG does not ask for one
  const auto want_a = number<std::uint32_t>(file, xml, "suma", 16);
  const auto want_b = number<std::uint32_t>(file, xml, "sumb", 16);
  if (!want_a || !want_b) fail(file, "its scidac-checksum lacks suma or sumb", kRefetch);
  std::uint32_t a = 0, b = 0;
  const std::size_t step = header.storage.site_bytes();
  for (std::size_t i = 0; i < header.data.size() / step; ++i) {
    const auto crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(header.data.data() + i * step), step));
    a ^= std::rotl(crc, static_cast<int>(i % 29));
    b ^= std::rotl(crc, static_cast<int>(i % 31));
  }
  if (a != *want_a || b != *want_b) {
    fail(file,
         fmt::format("checksums are {:08x} {:08x}, its scidac-checksum says {:08x} {:08x}", a, b,
                     *want_a, *want_b),
         "the file is corrupted: fetch it again");
  }
  header.verified.push_back(fmt::format("checksums {:08x} {:08x}", a, b));
}

}  // namespace

bool is_lime(Bytes content) {
  return content.size() >= 4 && load<std::uint32_t>(content, 0, std::endian::big) == kMagic;
}

Header read_lime(const std::filesystem::path& file, Bytes content) {
  const Records records = split(file, content);
  Header header;
  read_format(file, records, header);
  auto data = records.find("ildg-binary-data");
  if (data == records.end()) data = records.find("scidac-binary-data");
  if (data == records.end()) {
    fail(file, "has neither an ildg-binary-data nor a scidac-binary-data record",
         "the file is truncated or no gauge configuration: fetch it again");
  }
  header.storage.order = std::endian::big;
  header.data = data->second;
  check_size(file, header.lattice, header.storage, header.data.size());
  verify_checksum(file, records, header);
  // MILC puts its measurements into the record of USQCD's kind.
  const std::string_view user = text_of(records, "scidac-record-xml");
  header.plaquette = number<double>(file, user, "plaq");
  header.link_trace = number<double>(file, user, "linktr");
  return header;
}

}  // namespace ht::dirac::file
