// SPDX-License-Identifier: Apache-2.0
#include "verif/model/common/crc.hpp"

#include <array>

namespace ht::model {
namespace {

constexpr std::uint32_t kCastagnoliReflected = 0x82f63b78U;
constexpr unsigned kCommandPolynomial = 0xd25fU;

using Table = std::array<std::uint32_t, 256>;

/// tables[k][b]: what byte b does to the register when k more bytes follow it (slicing by 8).
constexpr std::array<Table, 8> make_tables() {
  std::array<Table, 8> t{};
  for (std::uint32_t b = 0; b < 256; ++b) {
    std::uint32_t r = b;
    for (int i = 0; i < 8; ++i) r = (r >> 1) ^ ((r & 1U) != 0 ? kCastagnoliReflected : 0U);
    t[0][b] = r;
  }
  for (std::uint32_t b = 0; b < 256; ++b) {
    for (std::size_t k = 1; k < 8; ++k) {
      t[k][b] = (t[k - 1][b] >> 8) ^ t[0][t[k - 1][b] & 0xffU];
    }
  }
  return t;
}
constexpr std::array<Table, 8> kTables = make_tables();

}  // namespace

void Crc32c::add(std::byte b) {
  register_ =
      (register_ >> 8) ^ kTables[0][(register_ ^ std::to_integer<std::uint32_t>(b)) & 0xffU];
}

void Crc32c::add(std::span<const std::byte> bytes) {
  while (bytes.size() >= 8) {
    std::uint32_t next = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      std::uint32_t b = std::to_integer<std::uint32_t>(bytes[i]);
      if (i < 4) b ^= (register_ >> (8 * i)) & 0xffU;
      next ^= kTables[7 - i][b];
    }
    register_ = next;
    bytes = bytes.subspan(8);
  }
  for (const std::byte b : bytes) add(b);
}

std::uint32_t crc32c(std::span<const std::byte> bytes) {
  Crc32c c;
  c.add(bytes);
  return c.value();
}

std::uint16_t command_crc16(std::uint8_t byte) {
  unsigned r = 0xffffU ^ (static_cast<unsigned>(byte) << 8);
  for (int i = 0; i < 8; ++i) {
    r = ((r << 1) ^ ((r & 0x8000U) != 0 ? kCommandPolynomial : 0U)) & 0xffffU;
  }
  return static_cast<std::uint16_t>(r);
}

}  // namespace ht::model
