// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qcdoc/wire.hpp"

#include <bit>

namespace ht::model::qcdoc {
namespace {

bool odd(std::uint64_t bits) {
  return std::popcount(bits) % 2 == 1;
}

constexpr std::uint32_t checksum_step = 0x9E3779B9;

// CRC-8, polynomial x^8 + x^2 + x + 1.
std::uint8_t add_to_check(std::uint8_t crc, std::uint8_t byte) {
  unsigned value = crc ^ byte;
  for (int bit = 0; bit < 8; ++bit) value = value << 1 ^ ((value & 0x80) != 0 ? 0x107U : 0U);
  return static_cast<std::uint8_t>(value);
}

using HeaderByte = std::array<std::uint8_t, 1>;
namespace header = wire::header;
namespace bare = wire::bare_code;

// `sequence` and `number`: the two fields of the code below its class.
std::uint8_t header_of(unsigned frame_class, unsigned sequence, unsigned number, unsigned parity) {
  HeaderByte byte{};
  set_field(byte, header::kClass, frame_class);
  set_field(byte, header::kSequence, sequence);
  set_field(byte, header::kNumber, number);
  set_field(byte, header::kOdd, odd(field(byte, header::kCode)) ? 0 : 1);
  set_field(byte, header::kParity, parity);
  return byte[0];
}

std::uint8_t data_header(Acknowledges what, unsigned number, unsigned sequence, unsigned parity) {
  if (what == Acknowledges::Data) return header_of(wire::frame_class::kData, 0, number, parity);
  HeaderByte code{};
  set_field(code, header::kOther, 1);
  set_field(code, header::kOfInterrupt, what == Acknowledges::Interrupt ? 1 : 0);
  set_field(code, header::kOtherSequence, sequence);
  return header_of(wire::frame_class::kData, static_cast<unsigned>(field(code, header::kSequence)),
                   static_cast<unsigned>(field(code, header::kNumber)), parity);
}

// b of 64 or 8 bits, with those parities inverted.
std::uint8_t parity_of(std::uint64_t payload, std::uint8_t inverted) {
  return static_cast<std::uint8_t>(((odd(payload & 0xAAAAAAAAAAAAAAAA) ? 2U : 0U) |
                                    (odd(payload & 0x5555555555555555) ? 1U : 0U)) ^
                                   inverted);
}

}  // namespace

std::optional<std::uint8_t> encode(const Header& h) {
  if (h.parity > 3 || h.number > 3 || h.sequence > 1) return std::nullopt;
  switch (h.kind) {
    case Kind::Data:
      if (h.acknowledges > Acknowledges::Interrupt) return std::nullopt;
      return data_header(h.acknowledges, h.number, h.sequence, h.parity);
    case Kind::Supervisor:
      return header_of(wire::frame_class::kSupervisor, h.sequence, h.number, h.parity);
    case Kind::Interrupt:
      return header_of(wire::frame_class::kInterrupt, h.sequence, h.number, h.parity);
    case Kind::Idle:
      if (h.number == 3 && h.hold) return bare::kIdle3Hold;
      return header_of(wire::frame_class::kBare, 0, h.number, h.hold ? 3 : 0);
    case Kind::Mark:
      return bare::kMark;
    case Kind::AckSupervisor:
      return h.sequence == 0 ? bare::kAckSupervisor0 : bare::kAckSupervisor1;
    case Kind::AckInterrupt:
      return h.sequence == 0 ? bare::kAckInterrupt0 : bare::kAckInterrupt1;
  }
  return std::nullopt;
}

std::optional<Header> decode(std::uint8_t byte) {
  const HeaderByte bits{byte};
  const auto value = [&bits](WireField f) { return static_cast<std::uint8_t>(field(bits, f)); };
  if (odd(value(header::kCode)) == (value(header::kOdd) != 0)) return std::nullopt;
  Header h;
  const unsigned frame_class = value(header::kClass);
  if (frame_class != wire::frame_class::kBare) {
    h.parity = value(header::kParity);
    h.number = value(header::kNumber);
    if (frame_class != wire::frame_class::kData) {
      h.kind = frame_class == wire::frame_class::kSupervisor ? Kind::Supervisor : Kind::Interrupt;
      h.sequence = value(header::kSequence);
      return h;
    }
    h.kind = Kind::Data;
    if (value(header::kOther) == 0) return h;
    h.acknowledges =
        value(header::kOfInterrupt) != 0 ? Acknowledges::Interrupt : Acknowledges::Supervisor;
    h.sequence = value(header::kOtherSequence);
    h.number = 0;
    return h;
  }
  for (const Kind kind : {Kind::Mark, Kind::AckSupervisor, Kind::AckInterrupt})
    for (const std::uint8_t sequence : {std::uint8_t{0}, std::uint8_t{1}}) {
      h.kind = kind;
      h.sequence = sequence;
      if (byte == encode(h)) return h;
    }
  h.kind = Kind::Idle;
  h.sequence = 0;
  for (unsigned n = 0; n < 4; ++n)
    for (const bool hold : {false, true}) {
      h.number = static_cast<std::uint8_t>(n);
      h.hold = hold;
      if (byte == encode(h)) return h;
    }
  return std::nullopt;  // not given away
}

std::uint8_t parity_of_word(std::uint64_t word) {
  return parity_of(word, wire::inverted::kData);
}

std::uint8_t parity_of_supervisor(std::uint64_t word) {
  return parity_of(word, wire::inverted::kSupervisor);
}

std::uint8_t parity_of_interrupt(std::uint8_t code) {
  return parity_of(code, wire::inverted::kInterrupt);
}

std::optional<std::array<std::uint8_t, 5>> encode_record(const Record& r) {
  if (r.next > 63 || r.expected > 63 || r.waiting > 3) return std::nullopt;
  std::array<std::uint8_t, 5> bytes{};
  static_assert(wire::record::kBits == 8 * bytes.size());
  set_field(bytes, wire::record::kOne, 1);
  set_field(bytes, wire::record::kLost, r.lost ? 1 : 0);
  set_field(bytes, wire::record::kNext, r.next);
  set_field(bytes, wire::record::kExpected, r.expected);
  set_field(bytes, wire::record::kWaiting, r.waiting);
  set_field(bytes, wire::record::kFirstInverted, static_cast<std::uint8_t>(~bytes[0]));
  set_field(bytes, wire::record::kSecondInverted, static_cast<std::uint8_t>(~bytes[2]));
  set_field(bytes, wire::record::kMark, bare::kMark);
  return bytes;
}

std::optional<Record> decode_record(const std::array<std::uint8_t, 5>& bytes) {
  const Record r{.next = static_cast<std::uint8_t>(field(bytes, wire::record::kNext)),
                 .lost = field(bytes, wire::record::kLost) != 0,
                 .expected = static_cast<std::uint8_t>(field(bytes, wire::record::kExpected)),
                 .waiting = static_cast<std::uint8_t>(field(bytes, wire::record::kWaiting))};
  if (encode_record(r) != bytes) return std::nullopt;
  return r;
}

std::uint8_t check_of_supervisor(std::uint8_t header, std::uint64_t word) {
  std::uint8_t crc = add_to_check(wire::check::kFirst, header);
  for (unsigned i = 0; i < 8; ++i)
    crc = add_to_check(crc, static_cast<std::uint8_t>(word >> (8 * i)));
  return crc;
}

std::uint8_t check_of_interrupt(std::uint8_t header, std::uint8_t code) {
  return add_to_check(add_to_check(wire::check::kFirst, header), code);
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
  return field(HeaderByte{code}, wire::interrupt_code::kRaised) == 0 ? 0 : code ^ checksum_step;
}

}  // namespace ht::model::qcdoc
