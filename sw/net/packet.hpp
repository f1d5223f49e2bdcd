// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ht::net {

using Bytes = std::vector<std::uint8_t>;
using MacAddress = std::array<std::uint8_t, 6>;

/// One end of a UDP conversation.
struct Endpoint {
  MacAddress mac{};
  std::uint32_t ip = 0;  ///< as a number: 10.0.0.1 is 0x0A000001
  std::uint16_t port = 0;
  bool operator==(const Endpoint&) const = default;
};

/// A UDP datagram in one Ethernet frame (IPv4, no options, no fragments).
struct Datagram {
  Endpoint from, to;
  Bytes payload;
};

/// Bytes of headers before the payload: Ethernet 14, IPv4 20, UDP 8.
constexpr std::size_t header_bytes = 42;
/// Longest payload in a jumbo frame of 9018 bytes, check sequence included.
constexpr std::size_t max_payload = 9018 - 4 - header_bytes;

/// The frame from destination address to payload, without padding and check sequence. Throws
/// std::length_error if the payload is too long.
Bytes build(const Datagram& datagram);

/// The datagram in a frame without its check sequence (padding is allowed); nothing if it is no UDP
/// over IPv4, is a fragment, or a length or checksum is wrong.
std::optional<Datagram> parse(std::span<const std::uint8_t> frame);

}  // namespace ht::net
