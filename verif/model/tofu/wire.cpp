// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/wire.hpp"

#include <bit>
#include <stdexcept>

#include "verif/model/common/crc.hpp"
#include "verif/model/common/secded.hpp"

namespace ht::model::tofu {
namespace {

std::uint8_t byte_of(std::span<const std::uint64_t> words, unsigned i) {
  return static_cast<std::uint8_t>(words[i / 8] >> (8 * (i % 8)));
}

/// DNP's: polynomial 3D65, initial value FFFF, most significant bit first, over 5 bytes.
std::uint16_t control_crc(std::uint64_t bytes) {
  unsigned crc = 0xffff;
  for (unsigned i = 0; i < 5; ++i) {
    crc ^= static_cast<unsigned>((bytes >> (8 * i)) & 0xffU) << 8;
    for (int bit = 0; bit < 8; ++bit)
      crc = ((crc << 1) ^ ((crc & 0x8000U) != 0 ? 0x3d65U : 0U)) & 0xffffU;
  }
  return static_cast<std::uint16_t>(crc);
}

Beat data_beat(const Bytes16& data) {
  return {data, 0};
}

Bytes16 trailer(std::uint32_t crc) {
  return {std::uint64_t{crc} << 32, 0};
}

}  // namespace

ChipBeat ChipBeat::make(const Bytes16& data, bool first, bool last, bool bad) {
  ChipBeat b{data, 0, first, last, bad, false};
  b.ecc = static_cast<std::uint16_t>(secded_check(data[0]) | secded_check(data[1]) << 8);
  b.parity = (first ^ last ^ bad) == 0;
  return b;
}

bool ChipBeat::sound() const {
  return *this == make(data, first, last, bad);
}

// Bit by bit: a field may lie across two words.
std::uint32_t Packet::get(HeaderField field) const {
  std::uint32_t value = 0;
  for (unsigned i = field.width; i-- > 0;) {
    const unsigned at = field.low + i;
    value = value << 1 | static_cast<std::uint32_t>(header[at / 64] >> (at % 64) & 1U);
  }
  return value;
}

void Packet::set(HeaderField field, std::uint32_t value) {
  if (value >> 1 >> (field.width - 1) != 0)
    throw std::invalid_argument("Tofu header: value out of range");
  for (unsigned i = 0; i < field.width; ++i) {
    const unsigned at = field.low + i;
    std::uint64_t& word = header[at / 64];
    word = (word & ~(std::uint64_t{1} << (at % 64))) | std::uint64_t{value >> i & 1U} << (at % 64);
  }
}

std::uint32_t Packet::crc() const {
  Crc32c crc;
  for (unsigned i = 0; i < 32; ++i)
    crc.add(i < 3 || i >= 28 ? std::byte{0} : std::byte{byte_of(header, i)});
  for (const Bytes16& b : payload) {
    for (unsigned i = 0; i < 16; ++i) crc.add(std::byte{byte_of(b, i)});
  }
  return crc.value();
}

std::uint32_t Packet::header_crc() const {
  Crc32c crc;
  for (unsigned i = 1; i < 28; ++i) crc.add(std::byte{byte_of(header, i)});
  return crc.value();
}

std::vector<Beat> Packet::on_wire(std::uint64_t control) const {
  if (!nullified && get(tofu::header::beats) != payload.size())
    throw std::invalid_argument("Tofu packet: BEATS is not the length of the payload");
  std::vector<Beat> beats{data_beat({header[0], header[1]}), data_beat({header[2], header[3]})};
  beats[0].set(0, kStart, true);
  for (unsigned i = 0; i < 4; ++i)
    beats[1].set(12 + i, static_cast<std::uint8_t>(header_crc() >> (8 * i)), false);
  for (const Bytes16& b : payload) beats.push_back(data_beat(b));
  Beat last = data_beat(trailer(nullified ? ~header_crc() : crc()));
  last.set(0, nullified ? kNullified : kEnd, true);
  last.word[1] = control != 0 ? control : kIdleBeat.word[1];
  last.control = static_cast<std::uint16_t>(last.control | (control != 0 ? 0x0100 : 0xff00));
  beats.push_back(last);
  return beats;
}

std::vector<ChipBeat> Packet::in_chip() const {
  std::vector<ChipBeat> beats;
  beats.push_back(ChipBeat::make({header[0] & ~std::uint64_t{0xffff}, header[1]}, true, false));
  beats.push_back(ChipBeat::make({header[2], header[3] & 0xffffffffU}, false, false));
  for (const Bytes16& b : payload) beats.push_back(ChipBeat::make(b, false, false));
  beats.push_back(ChipBeat::make(trailer(crc()), false, true, nullified));
  return beats;
}

std::optional<Packet> Packet::from_chip(std::span<const ChipBeat> beats) {
  if (beats.size() < 3 || !beats.front().first || !beats.back().last) return std::nullopt;
  Packet p;
  p.header = {beats[0].data[0], beats[0].data[1], beats[1].data[0], beats[1].data[1]};
  for (const ChipBeat& b : beats.subspan(2).first(beats.size() - 3)) {
    if (b.first || b.last) return std::nullopt;
    p.payload.push_back(b.data);
  }
  p.nullified = beats.back().bad || beats.back().data != trailer(p.crc()) ||
                p.get(tofu::header::beats) != p.payload.size();
  return p;
}

std::uint64_t Control::word() const {
  std::uint64_t said = static_cast<std::uint64_t>(type) | std::uint64_t{sequence} << 2;
  for (unsigned i = 0; i < 4; ++i) {
    if (credits[i] > 127) throw std::invalid_argument("Tofu control packet: credits out of range");
    said |= std::uint64_t{credits[i]} << (10 + 7 * i);
  }
  return kControl | said << 8 | std::uint64_t{control_crc(said)} << 48;
}

Beat Control::beat() const {
  Beat b;
  b.word[1] = word();
  b.control = 0x01ff;
  return b;
}

std::optional<Control> Control::parse(std::uint64_t word) {
  const std::uint64_t said = (word >> 8) & 0xff'ffff'ffffU;
  if ((word & 0xffU) != kControl || word >> 48 != control_crc(said)) return std::nullopt;
  Control c{static_cast<ControlType>(said & 3U), static_cast<std::uint8_t>(said >> 2), {}};
  for (unsigned i = 0; i < 4; ++i)
    c.credits[i] = static_cast<std::uint8_t>((said >> (10 + 7 * i)) & 0x7fU);
  return c;
}

Beat Hello::beat() const {
  if (port > 15 || train_id > 15 || echo_train_id > 15)
    throw std::invalid_argument("Tofu hello: field out of range");
  const unsigned flags = (up ? 0x80U : 0U) | (heard ? 0x40U : 0U) | (session ? 0x20U : 0U) |
                         (used ? 0x10U : 0U) | port;
  Beat b = data_beat({std::uint64_t{version} << 8 | std::uint64_t{flags} << 16 |
                          std::uint64_t{unsigned{train_id} << 4 | echo_train_id} << 24 |
                          std::uint64_t{node} << 32,
                      std::uint64_t{epoch} | std::uint64_t{next_expected} << 16});
  Crc32c crc;
  for (unsigned i = 1; i < 12; ++i) crc.add(std::byte{b.byte(i)});
  b.word[1] |= std::uint64_t{crc.value()} << 32;
  b.set(0, kHello, true);
  return b;
}

std::optional<Hello> Hello::parse(const Beat& b) {
  Hello h;
  h.version = b.byte(1);
  h.up = (b.byte(2) & 0x80U) != 0;
  h.heard = (b.byte(2) & 0x40U) != 0;
  h.session = (b.byte(2) & 0x20U) != 0;
  h.used = (b.byte(2) & 0x10U) != 0;
  h.port = b.byte(2) & 15U;
  h.train_id = b.byte(3) >> 4;
  h.echo_train_id = b.byte(3) & 15U;
  h.node = static_cast<std::uint32_t>(b.word[0] >> 32);
  h.epoch = static_cast<std::uint16_t>(b.word[1]);
  h.next_expected = b.byte(10);
  if (b != h.beat()) return std::nullopt;
  return h;
}

void Checksum::add(const Packet& packet) {
  Packet p = packet;
  p.nullified = false;
  p.header[0] &= ~std::uint64_t{0xffff};
  p.header[3] &= 0xffffffffU;
  for (const ChipBeat& b : p.in_chip()) {
    std::uint32_t mix = 0;
    for (int i = 0; i < 4; ++i) {
      const auto w =
          static_cast<std::uint32_t>(b.data[static_cast<std::size_t>(i) / 2] >> (32 * (i % 2)));
      mix ^= std::rotl(w, 8 * i);
    }
    sum_ = std::rotl(sum_, 1) + mix;
  }
}

}  // namespace ht::model::tofu
