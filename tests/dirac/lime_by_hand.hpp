// SPDX-License-Identifier: Apache-2.0
#pragma once
// LIME records and SciDAC's checksum after their descriptions, without the code under test.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/dirac/gauge_writer.hpp"

namespace ht::test {

struct RecordByHand {
  std::string type;
  unsigned flags = 0;
  Content data;
  bool has(const std::string& text) const {
    return std::string(reinterpret_cast<const char*>(data.data()), data.size()).find(text) !=
           std::string::npos;
  }
};

inline std::uint64_t big_number(const Content& c, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    value = value << 8 | std::to_integer<std::uint64_t>(c.at(at + i));
  }
  return value;
}

/// 144-byte headers: 0x456789ab, version 1, flags, 64-bit length, 128 characters of type; data
/// padded with zeros to 8 bytes.
inline std::vector<RecordByHand> lime_by_hand(const Content& content) {
  std::vector<RecordByHand> records;
  REQUIRE(content.size() % 8 == 0);
  for (std::size_t at = 0; at < content.size();) {
    REQUIRE(big_number(content, at, 4) == 0x456789ab);
    REQUIRE(big_number(content, at + 4, 2) == 1);
    RecordByHand record;
    record.flags = static_cast<unsigned>(big_number(content, at + 6, 2));
    const std::uint64_t length = big_number(content, at + 8, 8);
    REQUIRE(at + 144 + length <= content.size());
    const char* type = reinterpret_cast<const char*>(&content[at + 16]);
    record.type.assign(type, strnlen(type, 128));
    for (std::size_t i = record.type.size(); i < 128; ++i) REQUIRE(type[i] == 0);
    const auto begin = content.begin() + static_cast<std::ptrdiff_t>(at + 144);
    record.data.assign(begin, begin + static_cast<std::ptrdiff_t>(length));
    records.push_back(std::move(record));
    for (at += 144 + length; at % 8 != 0; ++at) REQUIRE(content.at(at) == std::byte{0});
  }
  return records;
}

/// CRC-32 (reflected 04C11DB7), bit by bit.
inline std::uint32_t crc32_by_hand(const std::byte* data, std::size_t bytes) {
  std::uint32_t crc = 0xffffffff;
  for (std::size_t i = 0; i < bytes; ++i) {
    crc ^= std::to_integer<std::uint32_t>(data[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1) != 0 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
  }
  return ~crc;
}

/// suma and sumb: every site's CRC-32, rotated left by its number modulo 29 and 31.
inline std::pair<std::uint32_t, std::uint32_t> site_checksums(const Content& data,
                                                              std::size_t site_bytes) {
  std::uint32_t a = 0, b = 0;
  for (std::size_t i = 0; i * site_bytes < data.size(); ++i) {
    const std::uint64_t crc = crc32_by_hand(&data[i * site_bytes], site_bytes);
    const auto rotated = [crc](std::size_t by) {
      return static_cast<std::uint32_t>(crc << by | crc >> (32 - by));
    };
    a ^= rotated(i % 29);
    b ^= rotated(i % 31);
  }
  return {a, b};
}

inline std::string hex(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "%x", value);
  return text;
}

}  // namespace ht::test
