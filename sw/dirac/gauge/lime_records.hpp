// SPDX-License-Identifier: Apache-2.0
#pragma once
// LIME: records of a 144-byte header and data padded to 8 bytes; SciDAC's checksum over sites.
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sw/dirac/gauge/gauge_file.hpp"

namespace ht::dirac::file {

constexpr const char* kLimeDamaged = "the file is damaged: fetch or write it again";

struct LimeRecord {
  std::string type;
  Bytes data;
};
using LimeRecords = std::vector<LimeRecord>;

/// A file's records in order. Throws DataError naming the byte where a header is missing or cut.
LimeRecords split_lime(const std::filesystem::path& file, Bytes content);

/// The first record of a type, or null; behind `after`, one of them, if that is given.
const LimeRecord* find_record(const LimeRecords& records, std::string_view type,
                              const LimeRecord* after = nullptr);
/// A record's data as text without trailing zeros; empty for null.
std::string_view text_of(const LimeRecord* record);

/// What the first element of this name holds, whatever its namespace, without blanks around it;
/// empty if there is none, or `xml` is no XML.
std::string element(std::string_view xml, std::string_view tag);

/// Throws DataError: the element holds no number.
[[noreturn]] void no_number(const std::filesystem::path& file, std::string_view tag,
                            std::string_view text);

/// The number in an element; nothing if the element is missing or empty. Throws if it is no number.
template <class T, class... Base>
std::optional<T> number(const std::filesystem::path& file, std::string_view xml,
                        std::string_view tag, Base... base) {
  const std::string s = element(xml, tag);
  if (s.empty()) return std::nullopt;
  T value{};
  const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), value, base...);
  if (error != std::errc{} || end != s.data() + s.size()) no_number(file, tag, s);
  return value;
}

/// SciDAC's checksum: the CRC-32 of every site's bytes as stored, rotated by the site's number
/// modulo 29 and 31.
struct ScidacChecksum {
  std::uint32_t a = 0, b = 0;
  bool operator==(const ScidacChecksum&) const = default;
};
ScidacChecksum scidac_checksum(Bytes data, std::size_t site_bytes);

/// Throws DataError unless `record`, a scidac-checksum, has the checksum of `data`; returns
/// "checksums 1234abcd 5678ef01".
std::string verify_checksum(const std::filesystem::path& file, const LimeRecord& record, Bytes data,
                            std::size_t site_bytes);

/// Builds a LIME file in memory.
class LimeWriter {
 public:
  enum Place : std::uint16_t { Inside = 0, Last = 0x4000, First = 0x8000, Only = 0xc000 };

  void add(std::string_view type, Bytes data, Place place);
  /// As SciDAC's programs do, with a zero at the end.
  void add(std::string_view type, const std::string& text, Place place);
  void add(const ScidacChecksum& checksum);  ///< always the last of its message
  const std::vector<std::byte>& content() const { return content_; }

 private:
  std::vector<std::byte> content_;
};

/// How an XML record begins.
constexpr const char* kXml = R"(<?xml version="1.0" encoding="UTF-8"?>)";

}  // namespace ht::dirac::file
