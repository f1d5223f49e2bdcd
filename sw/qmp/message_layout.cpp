// SPDX-License-Identifier: Apache-2.0
#include "sw/qmp/message_layout.hpp"

#include <cstdint>
#include <cstring>

namespace ht::qmp {

void MessageLayout::append(std::ptrdiff_t offset, std::size_t bytes, std::size_t count,
                           std::ptrdiff_t stride) {
  if (bytes == 0 || count == 0) return;
  bytes_ += bytes * count;
  // Blocks that touch are one block: fewer copies, and often no bounce at all.
  if (count == 1 || stride == static_cast<std::ptrdiff_t>(bytes)) {
    bytes *= count;
    count = 1;
    if (!runs_.empty() && runs_.back().count == 1 &&
        runs_.back().offset + static_cast<std::ptrdiff_t>(runs_.back().bytes) == offset) {
      runs_.back().bytes += bytes;
      return;
    }
  }
  runs_.push_back({offset, bytes, count, stride});
}

bool MessageLayout::contiguous() const {
  return runs_.empty() || (runs_.size() == 1 && runs_[0].count == 1 && runs_[0].offset == 0);
}

bool MessageLayout::touches(const std::byte* base, const std::byte* memory,
                            std::size_t bytes) const {
  // Compared as numbers: they may be of different objects.
  const auto begin = reinterpret_cast<std::intptr_t>(memory);
  const auto end = begin + static_cast<std::intptr_t>(bytes);
  for (const Run& r : runs_) {
    auto at = reinterpret_cast<std::intptr_t>(base) + r.offset;
    for (std::size_t i = 0; i < r.count; ++i, at += r.stride) {
      if (at < end && at + static_cast<std::ptrdiff_t>(r.bytes) > begin) return true;
    }
  }
  return false;
}

void MessageLayout::gather(const std::byte* base, std::byte* to) const {
  for (const Run& r : runs_) {
    const std::byte* from = base + r.offset;
    for (std::size_t i = 0; i < r.count; ++i, to += r.bytes) {
      std::memcpy(to, from + static_cast<std::ptrdiff_t>(i) * r.stride, r.bytes);
    }
  }
}

void MessageLayout::scatter(const std::byte* from, std::byte* base) const {
  for (const Run& r : runs_) {
    std::byte* to = base + r.offset;
    for (std::size_t i = 0; i < r.count; ++i, from += r.bytes) {
      std::memcpy(to + static_cast<std::ptrdiff_t>(i) * r.stride, from, r.bytes);
    }
  }
}

}  // namespace ht::qmp
