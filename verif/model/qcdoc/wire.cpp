// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qcdoc/wire.hpp"

#include <bit>

namespace ht::model::qcdoc {
namespace {

bool odd(std::uint64_t bits) {
  return std::popcount(bits) % 2 == 1;
}

// k from 24 on; those with hold, or that acknowledge, have b = 3.
constexpr unsigned bare = 24, idle_3_hold = 28, mark = 29;
constexpr unsigned ack_supervisor[] = {27, 31}, ack_interrupt[] = {29, 30};

constexpr std::uint32_t checksum_step = 0x9E3779B9;

// CRC-8, polynomial x^8 + x^2 + x + 1, and what it begins with.
constexpr std::uint8_t check_first = 0x55;
std::uint8_t add_to_check(std::uint8_t crc, std::uint8_t byte) {
  unsigned value = crc ^ byte;
  for (int bit = 0; bit < 8; ++bit) value = value << 1 ^ ((value & 0x80) != 0 ? 0x107U : 0U);
  return static_cast<std::uint8_t>(value);
}

std::uint8_t header_of(unsigned k, unsigned b) {
  return static_cast<std::uint8_t>(k << 3 | (odd(k) ? 0U : 4U) | b);
}

}  // namespace

std::optional<std::uint8_t> encode(const Header& h) {
  if (h.parity > 3 || h.number > 3 || h.sequence > 1) return std::nullopt;
  const unsigned n = h.number, s = h.sequence;
  switch (h.kind) {
    case Kind::Data:
      switch (h.acknowledges) {
        case Acknowledges::Data:
          return header_of(n, h.parity);
        case Acknowledges::Supervisor:
          return header_of(4 + s, h.parity);
        case Acknowledges::Interrupt:
          return header_of(6 + s, h.parity);
      }
      return std::nullopt;
    case Kind::Supervisor:
      return header_of(8 + 4 * s + n, h.parity);
    case Kind::Interrupt:
      return header_of(16 + 4 * s + n, h.parity);
    case Kind::Idle:
      return n == 3 && h.hold ? header_of(idle_3_hold, 0) : header_of(bare + n, h.hold ? 3 : 0);
    case Kind::Mark:
      return header_of(mark, 0);
    case Kind::AckSupervisor:
      return header_of(ack_supervisor[s], 3);
    case Kind::AckInterrupt:
      return header_of(ack_interrupt[s], 3);
  }
  return std::nullopt;
}

std::optional<Header> decode(std::uint8_t byte) {
  const unsigned k = byte >> 3, b = byte & 3;
  if (!odd(byte >> 2)) return std::nullopt;
  Header h;
  h.number = k & 3;
  if (k < bare) {
    h.parity = static_cast<std::uint8_t>(b);
    h.sequence = k >> 2 & 1;
    h.kind = k < 8 ? Kind::Data : k < 16 ? Kind::Supervisor : Kind::Interrupt;
    if (k >= 4 && k < 8) {
      h.acknowledges = k < 6 ? Acknowledges::Supervisor : Acknowledges::Interrupt;
      h.sequence = k & 1;
      h.number = 0;
    } else if (k < 4) {
      h.sequence = 0;
    }
    return h;
  }
  h.number = 0;
  for (unsigned bit : {0U, 1U}) {
    if (byte == header_of(ack_supervisor[bit], 3)) h.kind = Kind::AckSupervisor;
    if (byte == header_of(ack_interrupt[bit], 3)) h.kind = Kind::AckInterrupt;
    if (h.kind == Kind::Idle) continue;
    h.sequence = static_cast<std::uint8_t>(bit);
    return h;
  }
  if (byte == header_of(mark, 0)) {
    h.kind = Kind::Mark;
    return h;
  }
  for (unsigned n = 0; n < 4; ++n)
    for (bool hold : {false, true}) {
      h.number = static_cast<std::uint8_t>(n);
      h.hold = hold;
      if (byte == encode(h)) return h;
    }
  return std::nullopt;  // not given away
}

std::uint8_t parity_of_word(std::uint64_t word) {
  return static_cast<std::uint8_t>((odd(word & 0xAAAAAAAAAAAAAAAA) ? 2 : 0) |
                                   (odd(word & 0x5555555555555555) ? 0 : 1));
}

std::uint8_t parity_of_supervisor(std::uint64_t word) {
  return parity_of_word(word) ^ 3;
}

std::uint8_t parity_of_interrupt(std::uint8_t code) {
  return static_cast<std::uint8_t>((odd(code & 0xAA) ? 2 : 0) | (odd(code & 0x55) ? 1 : 0));
}

std::optional<std::array<std::uint8_t, 5>> encode_record(const Record& r) {
  if (r.next > 63 || r.expected > 63 || r.waiting > 3) return std::nullopt;
  const auto first = static_cast<std::uint8_t>(r.next << 2 | (r.lost ? 2 : 0) | 1);
  const auto second = static_cast<std::uint8_t>(r.expected << 2 | r.waiting);
  return std::array{first, static_cast<std::uint8_t>(~first), second,
                    static_cast<std::uint8_t>(~second), header_of(mark, 0)};
}

std::optional<Record> decode_record(const std::array<std::uint8_t, 5>& bytes) {
  const Record r{.next = static_cast<std::uint8_t>(bytes[0] >> 2),
                 .lost = (bytes[0] & 2) != 0,
                 .expected = static_cast<std::uint8_t>(bytes[2] >> 2),
                 .waiting = static_cast<std::uint8_t>(bytes[2] & 3)};
  if (encode_record(r) != bytes) return std::nullopt;
  return r;
}

std::uint8_t check_of_supervisor(std::uint8_t header, std::uint64_t word) {
  std::uint8_t crc = add_to_check(check_first, header);
  for (unsigned i = 0; i < 8; ++i)
    crc = add_to_check(crc, static_cast<std::uint8_t>(word >> (8 * i)));
  return crc;
}

std::uint8_t check_of_interrupt(std::uint8_t header, std::uint8_t code) {
  return add_to_check(add_to_check(check_first, header), code);
}

std::uint32_t add_to_checksum(std::uint32_t sum, std::uint64_t word) {
  sum = std::rotl(sum, 1) + (static_cast<std::uint32_t>(word) ^ checksum_step);
  return std::rotl(sum, 1) + (static_cast<std::uint32_t>(word >> 32) ^ checksum_step);
}

std::uint32_t checksum_of_supervisor(std::uint64_t word) {
  return (static_cast<std::uint32_t>(word) ^ checksum_step) +
         std::rotl(static_cast<std::uint32_t>(word >> 32), 1);
}

std::uint32_t checksum_of_interrupt(std::uint8_t code) {
  return (code & 0x7F) == 0 ? 0 : code ^ checksum_step;
}

}  // namespace ht::model::qcdoc
