// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>

#include "sw/qmp/transport.hpp"
#include "sw/tofu/links.hpp"

// How the transports of two nodes have agreed in advance where they write to one another.
namespace ht::tofu {

/// Tags of the transport's queue, on every interface alike.
constexpr std::uint32_t shared_tag = 0;  ///< the shared block
constexpr std::uint32_t memory_tag = 1;  ///< all of the node's memory, by offset

/// Unit of the memory, in which a write is all or nothing.
constexpr std::size_t memory_beat = 16;

/// The shared block: a count from each neighbouring node, for bring_up(), and which link it
/// reported that is silent (256 node + link + 1; 0: none), in 8 bytes each; then, for each stream,
/// a ring of what the peer's receives say: where number n is to go, in place n modulo the depth.
///
///     bytes 0 to 4 offset in memory  5 to 7 number + 1, modulo 2^24  8 to 15 bytes of the message
constexpr std::size_t neighbour_depth = 16, routed_depth = 4;
constexpr std::size_t meeting_bytes = links_per_node * memory_beat;
constexpr std::size_t neighbour_streams = 24;  ///< 6 axes, 2 ways, 2 channels
constexpr std::uint32_t told_numbers = 1U << 24;

constexpr unsigned neighbour_code(qmp::Direction direction, qmp::Channel channel) {
  return 2 * static_cast<unsigned>(direction) + static_cast<unsigned>(channel);
}
/// Of messages by number: one for each channel.
constexpr unsigned first_routed_code = 32 - qmp::routed_channels;
constexpr unsigned routed_code(qmp::Channel channel) {
  return first_routed_code + static_cast<unsigned>(channel);
}
constexpr qmp::Channel channel_of(unsigned routed_code) {
  return static_cast<qmp::Channel>(routed_code - first_routed_code);
}
static_assert(neighbour_streams <= first_routed_code);

constexpr std::uint64_t neighbour_slots(unsigned code) {
  return meeting_bytes + code * neighbour_depth * memory_beat;
}
/// Of `ranks` ranks, for one channel after the other.
constexpr std::uint64_t routed_slots(int rank, qmp::Channel channel, int ranks) {
  const int place = static_cast<int>(channel) * ranks + rank;
  return neighbour_slots(neighbour_streams) +
         static_cast<std::uint64_t>(place) * routed_depth * memory_beat;
}
/// In the block of node `rank`, where nobody looks: it tells itself nothing.
constexpr std::uint64_t nowhere(int rank, int ranks) {
  return routed_slots(rank, qmp::Channel::User, ranks);
}
constexpr std::size_t depth_of(unsigned code) {
  return code >= first_routed_code ? routed_depth : neighbour_depth;
}

/// Edata of a message's notices: the receiver's code of the stream, and which message.
constexpr std::uint32_t edata_numbers = 1U << 11;
constexpr std::uint16_t edata_of(unsigned code, std::uint32_t number) {
  return static_cast<std::uint16_t>(code << 11 | number % edata_numbers);
}

/// Notices that may be on their way to a node: fewer than a ring has room for.
constexpr std::size_t most_expected = 256;
/// Bytes of a part of a message.
constexpr std::uint64_t part_limit = std::uint64_t{8} << 20;

}  // namespace ht::tofu
