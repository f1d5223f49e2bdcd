// SPDX-License-Identifier: Apache-2.0
#include "sw/host/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <stdexcept>

namespace ht::host {

NodeMemory::NodeMemory(std::size_t bytes) {
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  if (bytes > std::numeric_limits<std::size_t>::max() - page) throw std::bad_alloc();
  size_ = std::max((bytes + page - 1) / page * page, page);
  void* base = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<std::byte*>(base);
  add_gap(0, size_);
}

NodeMemory::NodeMemory(std::span<std::byte> place)
    : base_(place.data()), size_(place.size()), owns_(false) {
  add_gap(0, size_);
}

NodeMemory::~NodeMemory() {
  if (owns_) ::munmap(base_, size_);
}

// Where the computer has no memory left to note a gap in, the gap is lost: release() is called from
// destructors.
void NodeMemory::add_gap(std::size_t offset, std::size_t bytes) noexcept {
  if (bytes == 0) return;
  auto& peers = gaps_by_width_[static_cast<std::size_t>(std::bit_width(bytes))];
  try {
    peers.insert(offset);
    gaps_.emplace(offset, bytes);
  } catch (const std::bad_alloc&) {
    peers.erase(offset);
  }
}

void NodeMemory::drop_gap(std::map<std::size_t, std::size_t>::iterator gap) {
  gaps_by_width_[static_cast<std::size_t>(std::bit_width(gap->second))].erase(gap->first);
  gaps_.erase(gap);
}

void* NodeMemory::allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    throw std::invalid_argument("NodeMemory::allocate: the alignment is not a power of two");
  }
  // Two empty pieces must not share an offset.
  bytes = std::max<std::size_t>(bytes, 1);
  // The arena starts on a page: an alignment beyond that is one of the offset, as hardware sees it.
  const auto aligned = [alignment](std::size_t offset) {
    return (offset + alignment - 1) & ~(alignment - 1);
  };
  auto best = gaps_.end();
  for (auto width = static_cast<std::size_t>(std::bit_width(bytes)); width <= 64; ++width) {
    for (const std::size_t offset : gaps_by_width_[width]) {
      if (best != gaps_.end() && offset > best->first) break;
      const auto gap = gaps_.find(offset);
      const std::size_t lost = aligned(offset) - offset;
      if (lost > gap->second || bytes > gap->second - lost) continue;
      best = gap;
      break;
    }
  }
  if (best == gaps_.end() || alignment > size_) throw std::bad_alloc();
  const auto [begin, length] = *best;
  const std::size_t offset = aligned(begin);
  drop_gap(best);
  add_gap(begin, offset - begin);
  add_gap(offset + bytes, begin + length - offset - bytes);
  used_.emplace(offset, bytes);
  return base_ + offset;
}

void NodeMemory::release(void* pointer) {
  if (pointer == nullptr) return;
  const auto offset = offset_of(pointer);
  const auto found = offset ? used_.find(static_cast<std::size_t>(*offset)) : used_.end();
  if (found == used_.end()) {
    throw std::invalid_argument("NodeMemory::release: not a pointer that allocate() returned");
  }
  std::size_t begin = found->first, bytes = found->second;
  used_.erase(found);
  // One gap with those that it touches.
  auto next = gaps_.lower_bound(begin);
  if (next != gaps_.end() && next->first == begin + bytes) {
    bytes += next->second;
    drop_gap(next++);
  }
  if (next != gaps_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == begin) {
      begin = before->first;
      bytes += before->second;
      drop_gap(before);
    }
  }
  add_gap(begin, bytes);
}

std::optional<std::uint64_t> NodeMemory::offset_of(const void* pointer, std::size_t bytes) const {
  const auto* p = static_cast<const std::byte*>(pointer);
  // std::less orders pointers into different objects too.
  if (std::less<>{}(p, static_cast<const std::byte*>(base_))) return std::nullopt;
  if (std::less<>{}(static_cast<const std::byte*>(base_ + size_), p)) return std::nullopt;
  const auto offset = static_cast<std::size_t>(p - base_);
  if (bytes > size_ - offset) return std::nullopt;
  return offset;
}

}  // namespace ht::host
