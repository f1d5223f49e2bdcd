// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qpace/wire.hpp"

#include "verif/model/common/crc.hpp"

namespace ht::model::qpace {
namespace {

/// The words' data, as wire formats number their bits.
template <std::size_t N>
std::array<std::uint32_t, N> data_of(std::span<const Word> words) {
  std::array<std::uint32_t, N> data{};
  for (std::size_t i = 0; i < N; ++i) data[i] = words[i].data;
  return data;
}

constexpr std::uint32_t byte_at(std::uint32_t value, unsigned lane) {
  return value << (8 * lane);
}

/// CRC-32C over the data lanes of `words`, in the order they are sent.
std::uint32_t crc_of(std::span<const Word> words) {
  Crc32c crc;
  for (const Word& w : words) {
    for (unsigned i = 0; i < 4; ++i) {
      if (!w.is_control(i)) crc.add(std::byte{w.lane(i)});
    }
  }
  return crc.value();
}

bool framed(std::span<const Word> words, std::size_t count, std::uint8_t character) {
  if (words.size() != count || !starts_with(words[0], character)) return false;
  for (const Word& w : words.first(count - 1).subspan(1)) {
    if (w.control != 0) return false;
  }
  return true;
}

Word withdrawn_end(std::uint32_t crc) {
  return {kWithdrawn | (~crc & 0xffffff00U), wire::control::kStartControl};
}

}  // namespace

std::array<Word, kPacketWords> DataPacket::words() const {
  std::array<std::uint32_t, 1> header{};
  set_field(header, wire::packet::kStart, kStart);
  set_field(header, wire::packet::kOffset, remote_offset);
  set_field(header, wire::packet::kSequence, sequence);
  set_field(header, wire::packet::kChannel, channel);
  std::array<Word, kPacketWords> w;
  w[0] = {header[0], wire::control::kStartControl};
  for (std::size_t i = 0; i < kPayloadWords; ++i) {
    w[i + 1] = {0, 0};
    for (unsigned lane = 0; lane < 4; ++lane) {
      w[i + 1].data |= byte_at(std::to_integer<std::uint32_t>(payload[4 * i + lane]), lane);
    }
  }
  const std::uint32_t crc = crc_of(std::span(w).first(kPacketWords - 1));
  w.back() = withdrawn ? withdrawn_end(crc) : Word{crc, 0};
  return w;
}

std::optional<DataPacket> DataPacket::parse(std::span<const Word> words) {
  if (!framed(words, kPacketWords, kStart)) return std::nullopt;
  DataPacket p;
  const std::uint32_t crc = crc_of(words.first(kPacketWords - 1));
  p.withdrawn = words.back() == withdrawn_end(crc);
  if (!p.withdrawn && words.back() != Word{crc, 0}) return std::nullopt;
  const auto header = data_of<1>(words);
  p.remote_offset = static_cast<std::uint16_t>(field(header, wire::packet::kOffset));
  p.sequence = static_cast<std::uint8_t>(field(header, wire::packet::kSequence));
  p.channel = static_cast<std::uint8_t>(field(header, wire::packet::kChannel));
  for (std::size_t i = 0; i < kPayloadBytes; ++i) {
    p.payload[i] = std::byte{words[1 + i / 4].lane(i % 4)};
  }
  return p;
}

Word Command::word() const {
  std::array<std::uint32_t, 1> data{};
  set_field(data, wire::command::kStart, kCommand);
  set_field(data, wire::command::kType, static_cast<std::uint8_t>(type));
  set_field(data, wire::command::kSequence, sequence);
  set_field(data, wire::command::kCrc, command_crc16(static_cast<std::uint8_t>(data[0] >> 8)));
  return {data[0], wire::control::kStartControl};
}

std::optional<Command> Command::parse(const Word& word) {
  const std::array data{word.data};
  if (!starts_with(word, kCommand) ||
      command_crc16(word.lane(1)) != field(data, wire::command::kCrc)) {
    return std::nullopt;
  }
  return Command{static_cast<CommandType>(field(data, wire::command::kType)),
                 static_cast<std::uint8_t>(field(data, wire::command::kSequence))};
}

std::array<Word, kHelloWords> Hello::words() const {
  std::array<std::uint32_t, kHelloWords - 1> data{};
  set_field(data, wire::hello::kStart, kHello);
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
  std::array<Word, kHelloWords> w;
  for (std::size_t i = 0; i < data.size(); ++i)
    w[i] = {data[i], i == 0 ? wire::control::kStartControl : wire::control::kDataControl};
  w[3] = {crc_of(std::span(w).first(kHelloWords - 1)), wire::control::kDataControl};
  return w;
}

std::optional<Hello> Hello::parse(std::span<const Word> words) {
  if (!framed(words, kHelloWords, kHello)) return std::nullopt;
  if (words.back() != Word{crc_of(words.first(kHelloWords - 1)), 0}) return std::nullopt;
  const auto data = data_of<kHelloWords>(words);
  const auto byte = [&](WireField f) { return static_cast<std::uint8_t>(field(data, f)); };
  Hello h;
  h.version = byte(wire::hello::kVersion);
  h.up = byte(wire::hello::kUp) != 0;
  h.heard = byte(wire::hello::kHeard) != 0;
  h.session = byte(wire::hello::kSession) != 0;
  h.used = byte(wire::hello::kUsed) != 0;
  h.port = byte(wire::hello::kPort);
  h.train_id = byte(wire::hello::kTrainId);
  h.echo_train_id = byte(wire::hello::kEchoTrainId);
  h.node = static_cast<std::uint16_t>(field(data, wire::hello::kNode));
  h.epoch = static_cast<std::uint16_t>(field(data, wire::hello::kEpoch));
  h.next_expected = byte(wire::hello::kNextExpected);
  return h;
}

void PayloadChecksum::add(const DataPacket& packet) {
  for (std::size_t i = 0; i < kPayloadWords; ++i) {
    std::uint32_t word = 0;
    for (unsigned lane = 0; lane < 4; ++lane) {
      word |= byte_at(std::to_integer<std::uint32_t>(packet.payload[4 * i + lane]), lane);
    }
    add(word);
  }
  if (packet.withdrawn) sum_ ^= 1;
}

}  // namespace ht::model::qpace
