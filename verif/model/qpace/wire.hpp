// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "verif/model/common/word.hpp"
#include "verif/model/qpace/qpace_wire_fields.hpp"

/// The wire format of the QPACE links, as rtl/qpace/README.md states it.
namespace ht::model::qpace {

constexpr std::uint8_t kIdle = wire::character::kIdle, kStart = wire::character::kPacket,
                       kCommand = wire::character::kCommand, kHello = wire::character::kHello,
                       kWithdrawn = wire::character::kWithdrawn, kError = wire::character::kError;
constexpr std::size_t kPayloadBytes = 128;
constexpr std::size_t kPayloadWords = kPayloadBytes / 4;
constexpr std::size_t kPacketWords = kPayloadWords + 2;
constexpr std::size_t kHelloWords = 4;
constexpr unsigned kSequences = 64;

/// Lane 0 holds this control character, the other lanes data.
constexpr bool starts_with(const Word& w, std::uint8_t character) {
  return w.control == 1 && w.lane(0) == character;
}

/// Header, 32 words of payload (byte 0 in lane 0), CRC-32C over the three header bytes after the
/// start character and the payload, in the order they are sent. A packet withdrawn by its sender
/// after it had begun ends with 7C and the complement of the upper 24 bits of that CRC instead; it
/// takes a sequence number but is not delivered.
struct DataPacket {
  std::uint8_t channel = 0;         ///< virtual channel, 0 to 7
  std::uint8_t sequence = 0;        ///< 0 to 63
  std::uint16_t remote_offset = 0;  ///< in units of 128 bytes, 15 bits
  std::array<std::byte, kPayloadBytes> payload{};
  bool withdrawn = false;

  /// Throws std::invalid_argument for a field out of range.
  std::array<Word, kPacketWords> words() const;
  /// Nothing if the words are no packet, or its CRC is wrong. Idle words must have been left out.
  static std::optional<DataPacket> parse(std::span<const Word> words);

  bool operator==(const DataPacket&) const = default;
};

enum class CommandType : std::uint8_t {
  Ack = wire::command_type::kAck,
  Nack = wire::command_type::kNack,
  Busy = wire::command_type::kBusy,
  Ready = wire::command_type::kReady
};

/// One word; the sequence is the next one expected, the CRC command_crc16().
struct Command {
  CommandType type = CommandType::Ack;
  std::uint8_t sequence = 0;

  Word word() const;
  static std::optional<Command> parse(const Word& word);

  bool operator==(const Command&) const = default;
};

/// Four words, exchanged when a link comes up.
struct Hello {
  std::uint8_t version = 0;
  bool up = false;            ///< the sender of this hello is up
  bool heard = false;         ///< it has heard a hello of the right version
  bool session = false;       ///< it was up with this peer since its sequence numbers began
  bool used = false;          ///< it accepted a packet, or had one acknowledged, since then
  std::uint8_t port = 0;      ///< 0 to 5
  std::uint8_t train_id = 0;  ///< 4 bits
  std::uint8_t echo_train_id = 0;
  std::uint16_t node = 0;
  std::uint16_t epoch = 0;
  std::uint8_t next_expected = 0;  ///< sequence

  std::array<Word, kHelloWords> words() const;
  static std::optional<Hello> parse(std::span<const Word> words);

  bool operator==(const Hello&) const = default;
};

/// The checksum that both ends of a link keep over the payload delivered: rotated left by one and
/// the word added, for every 32-bit word in order; after a withdrawn packet bit 0 is inverted.
/// Equal when nothing is in flight.
class PayloadChecksum {
 public:
  void add(std::uint32_t word) { sum_ = ((sum_ << 1) | (sum_ >> 31)) + word; }
  void add(const DataPacket& packet);
  std::uint32_t value() const { return sum_; }

 private:
  std::uint32_t sum_ = 0;
};

}  // namespace ht::model::qpace
