// SPDX-License-Identifier: Apache-2.0
#include "sw/net/packet.hpp"

#include <algorithm>
#include <stdexcept>

namespace ht::net {
namespace {

constexpr std::uint16_t ethertype_ipv4 = 0x0800;
constexpr std::uint8_t protocol_udp = 17, version_and_length = 0x45, hops = 64;
constexpr std::size_t ip_at = 14, udp_at = 34;

void put16(Bytes& b, std::uint32_t v) {
  b.push_back(static_cast<std::uint8_t>(v >> 8));
  b.push_back(static_cast<std::uint8_t>(v));
}
void put32(Bytes& b, std::uint32_t v) {
  put16(b, v >> 16);
  put16(b, v & 0xFFFF);
}
std::uint32_t get16(std::span<const std::uint8_t> b, std::size_t at) {
  return static_cast<std::uint32_t>(b[at] << 8 | b[at + 1]);
}
std::uint32_t get32(std::span<const std::uint8_t> b, std::size_t at) {
  return get16(b, at) << 16 | get16(b, at + 2);
}

// The Internet checksum's sum (RFC 1071), before its complement.
std::uint32_t sum16(std::span<const std::uint8_t> b, std::uint32_t sum = 0) {
  for (std::size_t i = 0; i + 1 < b.size(); i += 2) sum += get16(b, i);
  if (b.size() % 2 != 0) sum += static_cast<std::uint32_t>(b.back() << 8);
  while (sum > 0xFFFF) sum = (sum & 0xFFFF) + (sum >> 16);
  return sum;
}

// Over the pseudo-header and the datagram at `udp`.
std::uint32_t udp_sum(std::uint32_t from, std::uint32_t to, std::span<const std::uint8_t> udp) {
  Bytes pseudo;
  put32(pseudo, from);
  put32(pseudo, to);
  put16(pseudo, protocol_udp);
  put16(pseudo, static_cast<std::uint32_t>(udp.size()));
  return sum16(udp, sum16(pseudo));
}

void store16(Bytes& b, std::size_t at, std::uint32_t v) {
  b[at] = static_cast<std::uint8_t>(v >> 8);
  b[at + 1] = static_cast<std::uint8_t>(v);
}

}  // namespace

Bytes build(const Datagram& d) {
  if (d.payload.size() > max_payload) throw std::length_error("a datagram longer than a frame");
  Bytes b;
  b.reserve(header_bytes + d.payload.size());
  b.insert(b.end(), d.to.mac.begin(), d.to.mac.end());
  b.insert(b.end(), d.from.mac.begin(), d.from.mac.end());
  put16(b, ethertype_ipv4);
  const auto udp_length = static_cast<std::uint32_t>(8 + d.payload.size());
  b.push_back(version_and_length);
  b.push_back(0);
  put16(b, 20 + udp_length);
  put32(b, 0x00004000);  // identification 0, do not fragment
  b.push_back(hops);
  b.push_back(protocol_udp);
  put16(b, 0);
  put32(b, d.from.ip);
  put32(b, d.to.ip);
  store16(b, ip_at + 10, ~sum16(std::span(b).subspan(ip_at, 20)));
  put16(b, d.from.port);
  put16(b, d.to.port);
  put16(b, udp_length);
  put16(b, 0);
  b.insert(b.end(), d.payload.begin(), d.payload.end());
  const std::uint32_t check = ~udp_sum(d.from.ip, d.to.ip, std::span(b).subspan(udp_at)) & 0xFFFF;
  store16(b, udp_at + 6, check == 0 ? 0xFFFF : check);  // 0 would mean "not computed"
  return b;
}

std::optional<Datagram> parse(std::span<const std::uint8_t> b) {
  if (b.size() < header_bytes || get16(b, 12) != ethertype_ipv4 || b[ip_at] != version_and_length ||
      b[ip_at + 9] != protocol_udp || (get16(b, ip_at + 6) & 0x3FFF) != 0 ||
      sum16(b.subspan(ip_at, 20)) != 0xFFFF)
    return std::nullopt;
  const std::size_t total = get16(b, ip_at + 2), udp_length = get16(b, udp_at + 4);
  if (total < 28 || ip_at + total > b.size() || udp_length != total - 20) return std::nullopt;
  Datagram d;
  std::copy_n(b.begin(), 6, d.to.mac.begin());
  std::copy_n(b.begin() + 6, 6, d.from.mac.begin());
  d.from.ip = get32(b, ip_at + 12);
  d.to.ip = get32(b, ip_at + 16);
  d.from.port = static_cast<std::uint16_t>(get16(b, udp_at));
  d.to.port = static_cast<std::uint16_t>(get16(b, udp_at + 2));
  const auto udp = b.subspan(udp_at, udp_length);
  if (get16(udp, 6) != 0 && udp_sum(d.from.ip, d.to.ip, udp) != 0xFFFF) return std::nullopt;
  d.payload.assign(udp.begin() + 8, udp.end());
  return d;
}

}  // namespace ht::net
