// SPDX-License-Identifier: Apache-2.0
#include "sw/qcdoc/packet_words.hpp"

#include <algorithm>
#include <utility>

namespace ht::qcdoc {
namespace {

constexpr int window = 2;
constexpr std::size_t bytes_a_word = 7;

}  // namespace

PacketWords::PacketWords(std::size_t directions, Send send)
    : send_(std::move(send)), links_(directions) {}

void PacketWords::heard(qmp::Direction from, std::uint64_t word) {
  Link& l = at(from);
  if (word >> 56 == taken_words) {
    --l.sent;
    return;
  }
  for (std::size_t i = 0; i < bytes_a_word; ++i)
    l.coming.push_back(static_cast<std::byte>(word >> 8 * i));
  const std::size_t length = static_cast<std::size_t>(l.coming.front());
  if (l.coming.size() <= length) return;
  l.arrived.emplace_back(l.coming.begin() + 1,
                         l.coming.begin() + static_cast<std::ptrdiff_t>(length) + 1);
  l.coming.clear();
}

bool PacketWords::try_send(qmp::Direction way, std::span<const std::byte> packet) {
  if (at(way).sent >= window) return false;
  ++at(way).sent;
  for (std::size_t first = 0; first < packet.size() + 1; first += bytes_a_word) {
    std::uint64_t word = data_words << 56;
    for (std::size_t i = 0; i < bytes_a_word; ++i) {
      const std::size_t n = first + i;  // 0 is the length
      const std::byte b = n == 0               ? static_cast<std::byte>(packet.size())
                          : n <= packet.size() ? packet[n - 1]
                                               : std::byte{0};
      word |= static_cast<std::uint64_t>(b) << 8 * i;
    }
    send_(way, word);
  }
  return true;
}

std::size_t PacketWords::try_receive(qmp::Direction from, std::span<std::byte> packet) {
  Link& l = at(from);
  if (l.arrived.empty()) return 0;
  const std::vector<std::byte> taken = std::move(l.arrived.front());
  l.arrived.pop_front();
  send_(from, taken_words << 56);
  std::ranges::copy(taken, packet.begin());
  return taken.size();
}

}  // namespace ht::qcdoc
