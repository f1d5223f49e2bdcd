// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>

#include "sw/qmp/transport.hpp"

// What the driver's files share.
namespace ht::qpace {

constexpr std::uint32_t unsigned_of(int i) {
  return static_cast<std::uint32_t>(i);
}

// A put's addresses carry 15 bits of remote offset, a credit 15 bits of packets: a longer message
// is cut into pieces that both ends cut alike.
constexpr std::uint64_t piece_lines = 32767;

// Virtual channels of the program's messages, and the one of what QMP sends for itself. A receiver
// keeps a few packets a channel (VERSION.RX_SLOTS, usually 8) while its port is busy with those of
// other links, six of which bring 1.7 times what the port takes. A sender's FIFO alone usually
// holds 16; in one channel they would find no room and be sent twice. So a message of more than a
// channel's slots is spread over several, line by line in turn.
constexpr std::array<int, 3> user_channels{0, 2, 3};
constexpr std::array<int, 1> collective_channels{1};
constexpr std::array<int, 4> used_channels{0, 1, 2, 3};

// What software passes on for nodes that are no neighbours (PacketLines).
constexpr int packet_channel = 4;

/// The part of a message that goes over one virtual channel: lines of it, one after the other.
struct Part {
  int channel = 0;
  std::uint64_t first = 0, lines = 0;
};

/// How many parts a message has, where a channel has slots for `slot_lines`. Both ends cut alike.
constexpr std::size_t parts_of(qmp::Channel channel, std::uint64_t lines,
                               std::uint64_t slot_lines) {
  const std::size_t most =
      channel == qmp::Channel::User ? user_channels.size() : collective_channels.size();
  return std::min<std::size_t>(most, (lines + slot_lines - 1) / slot_lines);
}

/// Part `p` of `parts`: contiguous, and as long as the others to within a line.
constexpr Part part_of(qmp::Channel channel, std::uint64_t lines, std::size_t p,
                       std::size_t parts) {
  const int number = channel == qmp::Channel::User ? user_channels[p] : collective_channels[p];
  const std::uint64_t each = lines / parts, more = lines % parts;
  return {number, p * each + std::min<std::uint64_t>(p, more), each + (p < more ? 1 : 0)};
}

}  // namespace ht::qpace
