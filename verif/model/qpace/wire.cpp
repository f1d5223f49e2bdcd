// SPDX-License-Identifier: Apache-2.0
#include "verif/model/qpace/wire.hpp"

#include <stdexcept>
#include <string>

#include "verif/model/common/crc.hpp"

namespace ht::model::qpace {
namespace {

void require(bool good, const char* field) {
  if (!good)
    throw std::invalid_argument(std::string("QPACE wire format: ") + field + " out of range");
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
  return {kWithdrawn | (~crc & 0xffffff00U), 1};
}

}  // namespace

std::array<Word, kPacketWords> DataPacket::words() const {
  require(channel < 8, "channel");
  require(sequence < kSequences, "sequence");
  require(remote_offset < (1U << 15), "remote offset");
  std::array<Word, kPacketWords> w;
  w[0] = {kStart | (std::uint32_t{remote_offset} << 8) | (std::uint32_t{sequence} << 23) |
              (std::uint32_t{channel} << 29),
          1};
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
  const std::uint32_t header = words[0].data;
  p.remote_offset = static_cast<std::uint16_t>((header >> 8) & 0x7fffU);
  p.sequence = static_cast<std::uint8_t>((header >> 23) & 63U);
  p.channel = static_cast<std::uint8_t>(header >> 29);
  for (std::size_t i = 0; i < kPayloadBytes; ++i) {
    p.payload[i] = std::byte{words[1 + i / 4].lane(i % 4)};
  }
  return p;
}

Word Command::word() const {
  require(sequence < kSequences, "sequence");
  const auto field = static_cast<std::uint8_t>(static_cast<unsigned>(type) | (sequence << 2U));
  return {kCommand | byte_at(field, 1) | byte_at(command_crc16(field), 2), 1};
}

std::optional<Command> Command::parse(const Word& word) {
  if (!starts_with(word, kCommand) || command_crc16(word.lane(1)) != word.data >> 16) {
    return std::nullopt;
  }
  return Command{static_cast<CommandType>(word.lane(1) & 3U),
                 static_cast<std::uint8_t>(word.lane(1) >> 2)};
}

std::array<Word, kHelloWords> Hello::words() const {
  require(port < 8, "port");
  require(train_id < 16 && echo_train_id < 16, "train id");
  require(next_expected < kSequences, "sequence");
  const unsigned flags = (up ? 0x80U : 0U) | (heard ? 0x40U : 0U) | (session ? 0x20U : 0U) |
                         (used ? 0x10U : 0U) | port;
  const unsigned ids = (unsigned{train_id} << 4) | echo_train_id;
  std::array<Word, kHelloWords> w;
  w[0] = {kHello | byte_at(version, 1) | byte_at(flags, 2) | byte_at(ids, 3), 1};
  w[1] = {(std::uint32_t{node} << 16) | epoch, 0};
  w[2] = {next_expected, 0};
  w[3] = {crc_of(std::span(w).first(kHelloWords - 1)), 0};
  return w;
}

std::optional<Hello> Hello::parse(std::span<const Word> words) {
  if (!framed(words, kHelloWords, kHello)) return std::nullopt;
  if (words.back() != Word{crc_of(words.first(kHelloWords - 1)), 0}) return std::nullopt;
  Hello h;
  h.version = words[0].lane(1);
  h.up = (words[0].lane(2) & 0x80U) != 0;
  h.heard = (words[0].lane(2) & 0x40U) != 0;
  h.session = (words[0].lane(2) & 0x20U) != 0;
  h.used = (words[0].lane(2) & 0x10U) != 0;
  h.port = words[0].lane(2) & 7U;
  h.train_id = words[0].lane(3) >> 4;
  h.echo_train_id = words[0].lane(3) & 15U;
  h.node = static_cast<std::uint16_t>(words[1].data >> 16);
  h.epoch = static_cast<std::uint16_t>(words[1].data);
  h.next_expected = static_cast<std::uint8_t>(words[2].data & 63U);
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
