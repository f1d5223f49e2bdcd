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

/// Where a link control packet has the credits of virtual channel `channel`.
constexpr WireField credits_of(unsigned channel) {
  constexpr unsigned width = wire::control::kCredits.width / 4;
  return {wire::control::kCredits.low + width * channel, width};
}

Beat data_beat(const Bytes16& data) {
  return {data, 0};
}

Bytes16 trailer(std::uint32_t crc) {
  Bytes16 data{};
  set_field(data, wire::trailer::kCrc, crc);
  return data;
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

std::uint32_t Packet::get(HeaderField f) const {
  return static_cast<std::uint32_t>(field(header, f));
}

void Packet::set(HeaderField f, std::uint32_t value) {
  set_field(header, f, value);
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
  last.control = static_cast<std::uint16_t>(
      last.control | (control != 0 ? wire::half::kCode : wire::half::kIdle) << 8);
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
  std::array<std::uint64_t, 1> data{};
  set_field(data, wire::control::kStart, kControl);
  set_field(data, wire::control::kType, static_cast<std::uint64_t>(type));
  set_field(data, wire::control::kExpected, sequence);
  for (unsigned i = 0; i < 4; ++i) set_field(data, credits_of(i), credits[i]);
  set_field(data, wire::control::kCrc, control_crc(data[0] >> 8));
  return data[0];
}

Beat Control::beat() const {
  Beat b;
  b.word[1] = word();
  b.control = wire::half::kIdle | wire::half::kCode << 8;
  return b;
}

std::optional<Control> Control::parse(std::uint64_t word) {
  const std::array data{word};
  if (field(data, wire::control::kStart) != kControl ||
      field(data, wire::control::kCrc) != control_crc(word >> 8))
    return std::nullopt;
  Control c{static_cast<ControlType>(field(data, wire::control::kType)),
            static_cast<std::uint8_t>(field(data, wire::control::kExpected)),
            {}};
  for (unsigned i = 0; i < 4; ++i)
    c.credits[i] = static_cast<std::uint8_t>(field(data, credits_of(i)));
  return c;
}

Beat Hello::beat() const {
  Bytes16 data{};
  set_field(data, wire::hello::kVersion, version);
  set_field(data, wire::hello::kPort, port);
  set_field(data, wire::hello::kUsed, used);
  set_field(data, wire::hello::kSession, session);
  set_field(data, wire::hello::kHeard, heard);
  set_field(data, wire::hello::kUp, up);
  set_field(data, wire::hello::kEchoTrainId, echo_train_id);
  set_field(data, wire::hello::kTrainId, train_id);
  set_field(data, wire::hello::kNode, node);
  set_field(data, wire::hello::kEpoch, epoch);
  set_field(data, wire::hello::kNextExpected, next_expected);
  Beat b = data_beat(data);
  Crc32c crc;
  for (unsigned i = 1; i < 12; ++i) crc.add(std::byte{b.byte(i)});
  set_field(b.word, wire::hello::kCrc, crc.value());
  b.set(0, kHello, true);
  return b;
}

std::optional<Hello> Hello::parse(const Beat& b) {
  const auto byte = [&](WireField f) { return static_cast<std::uint8_t>(field(b.word, f)); };
  Hello h;
  h.version = byte(wire::hello::kVersion);
  h.up = byte(wire::hello::kUp) != 0;
  h.heard = byte(wire::hello::kHeard) != 0;
  h.session = byte(wire::hello::kSession) != 0;
  h.used = byte(wire::hello::kUsed) != 0;
  h.port = byte(wire::hello::kPort);
  h.train_id = byte(wire::hello::kTrainId);
  h.echo_train_id = byte(wire::hello::kEchoTrainId);
  h.node = static_cast<std::uint32_t>(field(b.word, wire::hello::kNode));
  h.epoch = static_cast<std::uint16_t>(field(b.word, wire::hello::kEpoch));
  h.next_expected = byte(wire::hello::kNextExpected);
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
