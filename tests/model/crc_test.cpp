// SPDX-License-Identifier: Apache-2.0
#include "verif/model/common/crc.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

using namespace ht::model;

namespace {
std::uint32_t crc_of(std::string_view s) {
  return crc32c(std::as_bytes(std::span(s)));
}
std::uint32_t crc_of(const std::vector<int>& v) {
  std::vector<std::byte> b;
  for (const int x : v) b.push_back(static_cast<std::byte>(x));
  return crc32c(b);
}
}  // namespace

TEST_CASE("CRC-32C: check value and the examples of RFC 3720 B.4") {
  CHECK(crc_of("123456789") == 0xe3069283U);
  CHECK(crc_of("") == 0U);
  std::vector<int> up, down;
  for (int i = 0; i < 32; ++i) {
    up.push_back(i);
    down.push_back(31 - i);
  }
  // The RFC prints bytes in wire order: aa 36 91 8a and so on, the low byte first.
  CHECK(crc_of(std::vector<int>(32, 0)) == 0x8a9136aaU);
  CHECK(crc_of(std::vector<int>(32, 0xff)) == 0x62a8ab43U);
  CHECK(crc_of(up) == 0x46dd794eU);
  CHECK(crc_of(down) == 0x113fdb5cU);
  CHECK(crc_of({0x01, 0xc0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0,
                0x14, 0,    0, 0, 0, 0, 4, 0, 0, 0, 0, 0x14, 0, 0, 0, 0x18,
                0x28, 0,    0, 0, 0, 0, 0, 0, 2, 0, 0, 0,    0, 0, 0, 0}) == 0xd9963a56U);
}

TEST_CASE("CRC-32C: any cut of the bytes gives the same value") {
  std::vector<std::byte> bytes;
  for (unsigned i = 0; i < 131; ++i) bytes.push_back(static_cast<std::byte>(i * 89 + 3));
  const std::uint32_t whole = crc32c(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Crc32c c;
    c.add(std::span(bytes).first(cut));
    for (std::size_t i = cut; i < bytes.size(); ++i) c.add(bytes[i]);
    REQUIRE(c.value() == whole);
  }
}

TEST_CASE("command CRC-16: distance 8 in bits and 3 in bytes, by trying all pairs") {
  int least_bits = 99, least_bytes = 99;
  for (unsigned a = 0; a < 256; ++a) {
    for (unsigned b = 0; b < a; ++b) {
      const unsigned crc = static_cast<unsigned>(command_crc16(static_cast<std::uint8_t>(a)) ^
                                                 command_crc16(static_cast<std::uint8_t>(b)));
      const unsigned d = (crc << 8) | (a ^ b);
      const int bytes = ((d & 0xff) != 0) + ((d & 0xff00) != 0) + ((d & 0xff0000) != 0);
      least_bits = std::min(least_bits, std::popcount(d));
      least_bytes = std::min(least_bytes, bytes);
    }
  }
  CHECK(least_bits == 8);
  CHECK(least_bytes == 3);
  // FFFF ^ FF00 leaves 00FF: eight shifts push out zeros only, so the polynomial never enters.
  CHECK(command_crc16(0xff) == 0xff00);
}
