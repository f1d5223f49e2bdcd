// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qcdoc_wire.hpp"

#include <bit>

namespace ht::model::qcdoc {
namespace {

bool odd(std::uint64_t bits) {
  return std::popcount(bits) % 2 == 1;
}

// k from 24 on, in order of the table.
constexpr unsigned bare = 24, request = 28, mark = 29, ack_supervisor = 30, ack_interrupt = 31;

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
      return header_of(bare + n, h.hold ? 3 : 0);
    case Kind::Request:
      return header_of(request, 0);
    case Kind::Mark:
      return header_of(mark, 0);
    case Kind::AckSupervisor:
      return header_of(ack_supervisor, s != 0 ? 3 : 0);
    case Kind::AckInterrupt:
      return header_of(ack_interrupt, s != 0 ? 3 : 0);
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
  if (b == 1 || b == 2) return std::nullopt;
  if (k < request) {
    h.kind = Kind::Idle;
    h.hold = b == 3;
    return h;
  }
  h.number = 0;
  if (k == request || k == mark) {
    if (b == 3) return std::nullopt;  // not given away
    h.kind = k == request ? Kind::Request : Kind::Mark;
    return h;
  }
  h.kind = k == ack_supervisor ? Kind::AckSupervisor : Kind::AckInterrupt;
  h.sequence = b == 3;
  return h;
}

std::uint8_t parity_of_word(std::uint64_t word) {
  return static_cast<std::uint8_t>((odd(word & 0xAAAAAAAAAAAAAAAA) ? 2 : 0) |
                                   (odd(word & 0x5555555555555555) ? 0 : 1));
}

std::uint8_t parity_of_interrupt(std::uint8_t code) {
  return static_cast<std::uint8_t>((odd(code & 0xAA) ? 2 : 0) | (odd(code & 0x55) ? 1 : 0));
}

std::uint8_t resume_byte(unsigned number) {
  const unsigned high = 4 | (number & 3);
  return static_cast<std::uint8_t>(high << 4 | (~high & 15));
}

std::optional<unsigned> resume_number(std::uint8_t byte) {
  for (unsigned n = 0; n < 4; ++n)
    if (resume_byte(n) == byte) return n;
  return std::nullopt;
}

std::uint32_t add_to_checksum(std::uint32_t sum, std::uint64_t word) {
  sum = std::rotl(sum, 1) + static_cast<std::uint32_t>(word);
  return std::rotl(sum, 1) + static_cast<std::uint32_t>(word >> 32);
}

}  // namespace ht::model::qcdoc
