// SPDX-License-Identifier: Apache-2.0
// Where the step-by-step comparison's data lie, at the interface and at its peer.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "verif/model/tofu/tni.hpp"

namespace ht::test::in_step {

inline constexpr std::uint32_t kHere = 0x12345, kThere = 0x54321;
inline constexpr unsigned kNumber = 2;  // the interface in step
inline constexpr std::size_t kMemory = 0x20000;
// Where everything lies: the same at both nodes, but for the rings of the peer's other interfaces.
inline constexpr std::uint64_t kTable = 0, kLists = 0x800, kCommands = 0x2000,
                               kCompletions = 0x4000, kNotices = 0x5000;
inline constexpr unsigned kLog2Commands = 4, kLog2Completions = 5, kLog2Notices = 2;
inline constexpr std::uint64_t kPeerRings = 0x20000, kPeerMemory = 0x60000, kPeerRing = 0x4000;
inline constexpr unsigned kPeerLog2 = 7;
// Areas of 16 KB: sources of puts, what gets bring, targets of puts, what others get, atomics.
inline constexpr std::uint64_t kArea = 0x4000, kFirstArea = 0x8000;
enum Area : unsigned { kSource, kLanding, kTarget, kServed, kCounters, kAreas };
inline constexpr unsigned kTags = 24;
inline constexpr model::tofu::HeaderField kMessageField = model::tofu::wire::remote::kNumber;
inline constexpr model::tofu::HeaderField kSourceQueueField =
    model::tofu::wire::remote::kSourceQueue;
/// Group of both nodes.
inline constexpr unsigned kGroup = 5;

inline void store(std::vector<std::byte>& memory, std::uint64_t at, std::uint64_t word) {
  std::memcpy(memory.data() + at, &word, sizeof word);
}

/// Tags of queue q: 12 q + 2 area is one piece, the next one is in pages, in another order.
constexpr unsigned tag_of(unsigned queue, unsigned area, bool paged) {
  return 12 * queue + 2 * area + (paged ? 1 : 0);
}

/// What an area may be used for by others.
constexpr unsigned rights_of(unsigned area) {
  return area == kTarget ? 4 : area == kServed ? 2 : area == kCounters ? 8 : 0;
}

inline void lay_tag(std::vector<std::byte>& memory, unsigned tag, bool valid) {
  const unsigned queue = tag / 12, area = tag % 12 / 2;
  const bool paged = tag % 2 != 0;
  const std::uint64_t entry = kTable + 32 * tag, base = kFirstArea + kArea * area,
                      list = kLists + 64 * tag;
  store(memory, entry, (valid ? 1 : 0) | rights_of(area) | queue << 4 | (paged ? 12U : 63U) << 10);
  store(memory, entry + 8, kArea - 16 * queue);
  store(memory, entry + 16, (paged ? list : base) / 16);
  store(memory, entry + 24, 0);
  for (std::uint64_t page = 0; page < 4; ++page)
    store(memory, list + 8 * page, (base + 0x1000 * (page ^ (1 + queue))) / 16);
}

}  // namespace ht::test::in_step
