// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "verif/model/tofu/wire.hpp"

namespace ht::model {

/// Kinds of packets of the network interfaces, as in headers.
enum class TniKind : std::uint8_t { Put, Get, Data, Atomic, Response };
/// What an answer, a completion and a notice say.
enum class TniCause : std::uint8_t {
  Good,
  Tag,
  Range,
  Right,
  Owner,
  Disabled,
  Descriptor,
  NoticeLost,
  DataLost,
  Full,
  Timeout,
  Group
};

constexpr unsigned kTniPayload = 1920;  ///< bytes of a message in one packet, at most

/// A packet of a network interface without its frame: rtl/tofu/README.md, "Packets of network
/// interfaces".
struct TniPacket {
  TniKind kind = TniKind::Put;
  std::uint32_t to = 0, from = 0;  ///< coordinates, 19 bits
  std::uint8_t path = 0, interface = 0, group = 0;
  std::uint64_t offset = 0;  ///< 40 bits; of data: position in the message
  std::uint32_t tag = 0;
  std::uint8_t queue = 0, source_queue = 0, source_interface = 0, message = 0;
  std::uint16_t edata = 0;
  bool first = false, last = false, notice = false, answer = false;
  TniCause cause = TniCause::Good;
  std::uint8_t operation = 0;  ///< bit 3: 8 bytes
  std::uint32_t length = 0;    ///< put, data: of the message up to here; get: bytes wanted
  std::vector<std::byte> payload;

  bool response() const { return kind == TniKind::Data || kind == TniKind::Response; }
  bool operator==(const TniPacket&) const = default;
};

/// Codes of a header's INTERFACE: of network interface `number`; and which one a code is of, or
/// kNoInterface.
constexpr unsigned kNoInterface = 255;
std::uint32_t interface_code(unsigned number);
unsigned interface_of(std::uint32_t code);

tofu::Packet to_frame(const TniPacket& packet);
/// Nothing if the frame is no packet that an interface could have sent: its kind, its class, its
/// beats, and what its fields say together.
std::optional<TniPacket> tni_packet(const tofu::Packet& frame);

}  // namespace ht::model
