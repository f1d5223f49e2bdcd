// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/lime_records.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <boost/property_tree/xml_parser.hpp>
#include <set>
#include <sstream>

#include "sw/host/input_file.hpp"

namespace ht::dirac::file {
namespace {

constexpr std::uint32_t kMagic = 0x456789ab;
constexpr std::size_t kHeader = 144, kTypeAt = 16, kTypeLength = 128;

template <class T>
void store_big(std::byte* to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    to[i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
  }
}

// The parser calls itself for each element in another.
bool is_shallow(std::string_view xml) {
  constexpr int most = 500;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < xml.size() && depth <= most; ++i) {
    if (xml[i] == '<' && xml[i + 1] == '/') --depth;
    if (xml[i] == '<' && std::string_view("/?!").find(xml[i + 1]) == std::string_view::npos)
      ++depth;
    if (xml[i] == '/' && xml[i + 1] == '>') --depth;
  }
  return depth <= most;
}

// All values that elements of that name have.
void find_elements(const boost::property_tree::ptree& tree, std::string_view tag,
                   std::set<std::string>& found) {
  for (const auto& [name, inside] : tree) {
    if (std::string_view(name).substr(name.rfind(':') + 1) == tag) found.insert(inside.data());
    find_elements(inside, tag, found);
  }
}

}  // namespace

bool is_lime(Bytes content) {
  return content.size() >= 4 && load<std::uint32_t>(content, 0, std::endian::big) == kMagic;
}

LimeRecords split_lime(const std::filesystem::path& file, Bytes content) {
  LimeRecords records;
  std::size_t at = 0;
  while (at < content.size()) {
    const std::size_t left = content.size() - at;
    if (left < kHeader) {
      fail(file, fmt::format("ends within the LIME record header at byte {}", at),
           "the file is truncated: fetch it again");
    }
    if (load<std::uint32_t>(content, at, std::endian::big) != kMagic ||
        load<std::uint16_t>(content, at + 4, std::endian::big) != 1) {
      fail(file, fmt::format("has no LIME version 1 record header at byte {}", at), kLimeDamaged);
    }
    const auto length = load<std::uint64_t>(content, at + 8, std::endian::big);
    const char* type = reinterpret_cast<const char*>(content.data() + at + kTypeAt);
    const std::string name(type, strnlen(type, kTypeLength));
    if (length > left - kHeader) {
      fail(file,
           fmt::format("its LIME record '{}' is {} bytes long, but only {} are left",
                       host::printable(name), length, left - kHeader),
           "the file is truncated: fetch it again");
    }
    records.push_back({name, content.subspan(at + kHeader, length)});
    // The padding of the last record may be missing.
    at += std::min<std::uint64_t>(left, kHeader + (length + 7) / 8 * 8);
  }
  return records;
}

const LimeRecord* find_record(const LimeRecords& records, std::string_view type,
                              const LimeRecord* after) {
  const auto begin =
      after == nullptr ? records.begin() : records.begin() + (after - records.data()) + 1;
  const auto it =
      std::find_if(begin, records.end(), [&](const LimeRecord& r) { return r.type == type; });
  return it == records.end() ? nullptr : &*it;
}

std::string_view text_of(const LimeRecord* record) {
  if (record == nullptr) return {};
  std::string_view text(reinterpret_cast<const char*>(record->data.data()), record->data.size());
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  return text;
}

std::string element(std::string_view xml, std::string_view tag) {
  if (!is_shallow(xml)) return {};
  boost::property_tree::ptree tree;
  try {
    std::istringstream in{std::string(xml)};
    read_xml(in, tree, boost::property_tree::xml_parser::trim_whitespace);
  } catch (const boost::property_tree::xml_parser_error&) {
    return {};
  }
  std::set<std::string> found;
  find_elements(tree, tag, found);
  return fmt::format("{}", fmt::join(found, " and "));
}

void no_number(const std::filesystem::path& file, std::string_view tag, std::string_view text) {
  fail(file,
       fmt::format("its XML has <{}>{}</{}>, which is no number", tag, host::printable(text), tag),
       kLimeDamaged);
}

ScidacChecksum scidac_checksum(Bytes data, std::size_t site_bytes) {
  ScidacChecksum sum;
  for (std::size_t i = 0; i < data.size() / site_bytes; ++i) {
    const auto crc = static_cast<std::uint32_t>(
        crc32_z(0, reinterpret_cast<const Bytef*>(data.data() + i * site_bytes), site_bytes));
    sum.a ^= std::rotl(crc, static_cast<int>(i % 29));
    sum.b ^= std::rotl(crc, static_cast<int>(i % 31));
  }
  return sum;
}

std::string verify_checksum(const std::filesystem::path& file, const LimeRecord& record, Bytes data,
                            std::size_t site_bytes) {
  const std::string_view xml = text_of(&record);
  const auto a = number<std::uint32_t>(file, xml, "suma", 16);
  const auto b = number<std::uint32_t>(file, xml, "sumb", 16);
  if (!a || !b) fail(file, "its scidac-checksum lacks suma or sumb", kLimeDamaged);
  const ScidacChecksum found = scidac_checksum(data, site_bytes);
  if (found != ScidacChecksum{*a, *b}) {
    fail(file,
         fmt::format("checksums are {:08x} {:08x}, its scidac-checksum says {:08x} {:08x}", found.a,
                     found.b, *a, *b),
         "the file is corrupted: fetch or write it again");
  }
  return fmt::format("checksums {:08x} {:08x}", found.a, found.b);
}

void LimeWriter::add(std::string_view type, Bytes data, Place place) {
  const std::size_t begin = content_.size();
  content_.resize(begin + kHeader + (data.size() + 7) / 8 * 8);
  std::byte* header = content_.data() + begin;
  store_big<std::uint32_t>(header, kMagic);
  store_big<std::uint16_t>(header + 4, 1);
  store_big<std::uint16_t>(header + 6, place);
  store_big<std::uint64_t>(header + 8, data.size());
  std::memcpy(header + kTypeAt, type.data(), std::min(type.size(), kTypeLength));
  std::copy(data.begin(), data.end(), header + kHeader);
}

void LimeWriter::add(std::string_view type, const std::string& text, Place place) {
  add(type, std::as_bytes(std::span(text.c_str(), text.size() + 1)), place);
}

void LimeWriter::add(const ScidacChecksum& checksum) {
  add("scidac-checksum",
      fmt::format("{}<scidacChecksum><version>1.0</version><suma>{:x}</suma><sumb>{:x}</sumb>"
                  "</scidacChecksum>",
                  kXml, checksum.a, checksum.b),
      Last);
}

}  // namespace ht::dirac::file
