// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/tni_layout.hpp"

#include <algorithm>

namespace ht::tofu {
namespace {

/// `count` bytes of a number, least significant first.
void put(std::span<std::byte> to, std::size_t at, std::size_t count, std::uint64_t value) {
  for (std::size_t i = 0; i < count; ++i) to[at + i] = static_cast<std::byte>(value >> (8 * i));
}

}  // namespace

const char* text(TniCause cause) {
  static constexpr std::array<const char*, 12> words{
      "done",
      "the steering tag is not valid",
      "it would leave the memory of the steering tag",
      "the steering tag does not allow it",
      "the steering tag belongs to another control queue",
      "the interface or queue there is not enabled",
      "the command cannot be",
      "done, but the notice found no room",
      "not all of its data came",
      "too many transfers were open at the interface there",
      "no answer came within the time limit",
      "the interface there is of another job"};
  const auto i = static_cast<std::size_t>(cause);
  return i < words.size() ? words[i] : "unknown";
}

std::array<std::byte, 64> Descriptor::bytes() const {
  std::array<std::byte, 64> b{};
  put(b, 0, 1, static_cast<std::uint64_t>(command));
  put(b, 1, 1, 1U | (remote_notice ? 2U : 0U) | (wide ? 8U : 0U));
  put(b, 2, 1, static_cast<std::uint64_t>(operation));
  const auto interface = static_cast<std::uint32_t>(remote.interface);
  put(b, 3, 1, (interface & 3) << 6 | static_cast<std::uint32_t>(remote.queue));
  put(b, 4, 4, remote.node.address() | remote.path << 19 | interface >> 2 << 23);
  put(b, 8, 3, length);
  put(b, 11, 3, local.tag);
  put(b, 14, 2, edata);
  put(b, 16, 5, local.offset);
  put(b, 24, 5, far.offset);
  put(b, 29, 3, far.tag);
  std::copy(data.begin(), data.end(), b.begin() + 32);
  return b;
}

std::array<std::byte, 32> table_entry(const TagSetting& s) {
  constexpr std::uint64_t one_piece = 63;
  std::array<std::byte, 32> b{};
  const std::uint64_t flags = 1U | (s.read ? 2U : 0U) | (s.write ? 4U : 0U) | (s.atomic ? 8U : 0U) |
                              static_cast<std::uint64_t>(s.owner) << 4 | one_piece << 10;
  put(b, 0, 8, flags);
  put(b, 8, 5, s.length);
  put(b, 16, 5, s.base / 16);
  return b;
}

}  // namespace ht::tofu
