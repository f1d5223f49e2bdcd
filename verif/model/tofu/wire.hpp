// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "verif/model/tofu/beat.hpp"

/// The wire format of the Tofu links, and packets inside a chip: rtl/tofu/README.md.
namespace ht::model::tofu {

constexpr std::uint8_t kIdle = 0x07, kStart = 0xfb, kEnd = 0xfd, kNullified = 0x7c, kControl = 0x5c,
                       kHello = 0x9c, kError = 0xfe, kVersion = 2;
constexpr unsigned kMostPayload = 125;  ///< beats
constexpr unsigned kUnitBeats = 8;      ///< of a credit: 128 bytes

/// 16 bytes, byte 0 in bits 7:0 of word 0.
using Bytes16 = std::array<std::uint64_t, 2>;

/// A field of the header: its lowest bit and its width, at most 32.
struct HeaderField {
  unsigned low, width;
};
namespace header {
constexpr HeaderField sequence{8, 8}, channel{16, 2}, leg{18, 1}, kind{20, 4}, beats{24, 7},
    to{32, 19}, path{51, 4}, from{56, 19}, interface {
  75, 3
}, crc{224, 32};
}  // namespace header

/// A beat inside a chip, 148 bits.
struct ChipBeat {
  Bytes16 data{};
  std::uint16_t ecc = 0;
  bool first = false, last = false, bad = false, parity = true;

  /// With ECC and parity as they must be.
  static ChipBeat make(const Bytes16& data, bool first, bool last, bool bad = false);
  bool sound() const;  ///< ECC and parity are as they must be
  bool operator==(const ChipBeat&) const = default;
};

/// A packet, whole.
struct Packet {
  std::array<std::uint64_t, 4> header{};  ///< 32 bytes; start code and header CRC are not kept
  std::vector<Bytes16> payload;
  bool nullified = false;

  std::uint32_t get(HeaderField field) const;
  /// Throws std::invalid_argument for a value that does not fit.
  void set(HeaderField field, std::uint32_t value);
  unsigned beats() const { return static_cast<unsigned>(payload.size()) + 3; }
  unsigned units() const { return (beats() + kUnitBeats - 1) / kUnitBeats; }
  /// The CRC-32C that its source made.
  std::uint32_t crc() const;
  std::uint32_t header_crc() const;

  /// As on the wire; `control` goes into the last beat, idle characters if it is 0. Throws
  /// std::invalid_argument if BEATS is not the payload's length, unless nullified.
  std::vector<Beat> on_wire(std::uint64_t control = 0) const;
  /// Inside a chip: sequence number 0. Nullified: last beat bad.
  std::vector<ChipBeat> in_chip() const;
  /// Nothing if the beats are no packet. Bad if the last beat is, or its CRC wrong.
  static std::optional<Packet> from_chip(std::span<const ChipBeat> beats);

  bool operator==(const Packet&) const = default;
};

enum class ControlType : std::uint8_t { Ack, Nack, Busy, Ask };

/// A link control packet.
struct Control {
  ControlType type = ControlType::Ack;
  std::uint8_t sequence = 0;              ///< next expected
  std::array<std::uint8_t, 4> credits{};  ///< units freed, modulo 128

  std::uint64_t word() const;  ///< its 8 bytes
  Beat beat() const;           ///< alone
  static std::optional<Control> parse(std::uint64_t word);
  bool operator==(const Control&) const = default;
};

/// One beat, exchanged when a link comes up.
struct Hello {
  std::uint8_t version = kVersion;
  bool up = false;       ///< the sender of this hello is up
  bool heard = false;    ///< it has heard a hello of the right version
  bool session = false;  ///< it was up with this peer since its sequence numbers began
  bool used = false;     ///< it accepted a packet, or had one acknowledged, since then
  std::uint8_t port = 0;
  std::uint8_t train_id = 0, echo_train_id = 0;  ///< 4 bits
  std::uint32_t node = 0;
  std::uint16_t epoch = 0;
  std::uint8_t next_expected = 0;

  Beat beat() const;
  static std::optional<Hello> parse(const Beat& beat);
  bool operator==(const Hello&) const = default;
};

/// What both ends keep over packets that were delivered: their registers *_CHECKSUM.
class Checksum {
 public:
  void add(const Packet& packet);
  std::uint32_t value() const { return sum_; }

 private:
  std::uint32_t sum_ = 0;
};

}  // namespace ht::model::tofu
