// SPDX-License-Identifier: Apache-2.0
#include "verif/model/tofu/tni_memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string>

namespace ht::model {
namespace {

constexpr std::uint64_t kEntry = 32, kUnit = 16;
constexpr unsigned kOnePiece = 63, kSmallestPage = 12, kLargestPage = 40;

/// An entry of the table of tags.
struct Tag {
  bool valid;
  unsigned rights, owner, page;
  std::uint64_t length, frames;
};

Tag tag_of(const std::array<std::uint64_t, 4>& w) {
  return {(w[0] & 1) != 0,
          static_cast<unsigned>(w[0] >> 1 & 7),
          static_cast<unsigned>(w[0] >> 4 & 63),
          static_cast<unsigned>(w[0] >> 10 & 63),
          w[1] & ((std::uint64_t{1} << 40) - 1),
          (w[2] & ((std::uint64_t{1} << 36) - 1)) * kUnit};
}

}  // namespace

TniReach::TniReach(std::span<std::byte> bytes)
    : read([bytes](std::uint64_t address, std::span<std::byte> to) {
        std::memcpy(to.data(), bytes.data() + address, to.size());
      }),
      write([bytes](std::uint64_t address, std::span<const std::byte> from) {
        std::memcpy(bytes.data() + address, from.data(), from.size());
      }),
      size(bytes.size()) {}

// An entry's bits 103:64 are the length, 163:128 the frames.
TniCause TniMemory::check(const TniAccess& a) const {
  if (a.tag >= tags) return TniCause::Tag;
  const Tag t = tag_of(load<std::array<std::uint64_t, 4>>(table + kEntry * a.tag));
  const bool page = t.page == kOnePiece || (t.page >= kSmallestPage && t.page <= kLargestPage);
  if (!t.valid || !page) return TniCause::Tag;
  if (t.owner != a.queue) return TniCause::Owner;
  if (!a.local && (t.rights >> static_cast<unsigned>(a.right) & 1) == 0) return TniCause::Right;
  if (a.offset + a.length > t.length) return TniCause::Range;
  return TniCause::Good;
}

std::uint64_t TniMemory::address(std::uint32_t tag, std::uint64_t offset) const {
  const Tag t = tag_of(load<std::array<std::uint64_t, 4>>(table + kEntry * tag));
  if (t.page == kOnePiece) return t.frames + offset;
  const std::uint64_t frame = load<std::uint64_t>(t.frames + 8 * (offset >> t.page)) * kUnit;
  return frame + (offset & ((std::uint64_t{1} << t.page) - 1));
}

std::uint64_t TniMemory::in_page(std::uint32_t tag, std::uint64_t offset) const {
  const Tag t = tag_of(load<std::array<std::uint64_t, 4>>(table + kEntry * tag));
  if (t.page == kOnePiece) return std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t page = std::uint64_t{1} << t.page;
  return page - (offset & (page - 1));
}

void TniMemory::read(std::uint32_t tag, std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const auto n = std::min<std::uint64_t>(to.size(), in_page(tag, offset));
    fetch(address(tag, offset), to.first(n));
    to = to.subspan(n);
    offset += n;
  }
}

void TniMemory::write(std::uint32_t tag, std::uint64_t offset, std::span<const std::byte> from) {
  while (!from.empty()) {
    const auto n = std::min<std::uint64_t>(from.size(), in_page(tag, offset));
    put(address(tag, offset), from.first(n));
    from = from.subspan(n);
    offset += n;
  }
}

void TniMemory::fetch(std::uint64_t address, std::span<std::byte> to) const {
  check_range(address, to.size());
  reach_.read(address, to);
}

void TniMemory::put(std::uint64_t address, std::span<const std::byte> from) {
  check_range(address, from.size());
  reach_.write(address, from);
}

void TniMemory::check_range(std::uint64_t address, std::size_t bytes) const {
  if (address > reach_.size || bytes > reach_.size - address)
    throw std::out_of_range("network interface: address " + std::to_string(address) +
                            " is beyond memory");
}

}  // namespace ht::model
