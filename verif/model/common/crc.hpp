// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace ht::model {

/// CRC-32C (Castagnoli, iSCSI, RFC 3720): polynomial 1EDC6F41, reflected, initial value and final
/// exclusive-or all ones. On a wire its low byte goes first.
class Crc32c {
 public:
  void add(std::byte b);
  void add(std::span<const std::byte> bytes);
  std::uint32_t value() const { return ~register_; }

 private:
  std::uint32_t register_ = 0xffffffffU;
};

std::uint32_t crc32c(std::span<const std::byte> bytes);

/// The CRC of commands of one word: polynomial D25F (x^16 + x^15 + x^14 + x^12 + x^9 + x^6 + x^4 +
/// x^3 + x^2 + x + 1), initial value FFFF, most significant bit first, no final exclusive-or, over
/// the one byte in bits 15:8 of the command word; it travels in bits 31:16.
///
/// Over these 24 bits its Hamming distance is 8, the most any code of 8 + 16 bits can have, with
/// three code words of weight 8, the fewest among all 32,768 polynomials; and no two commands
/// differ in less than three bytes, so that whatever happens to one or two of the three lanes is
/// seen. (CCITT's 1021 has distance 4 here.)
std::uint16_t command_crc16(std::uint8_t byte);

}  // namespace ht::model
