// SPDX-License-Identifier: Apache-2.0
#include "sw/host/memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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
}

NodeMemory::~NodeMemory() {
  if (owns_) ::munmap(base_, size_);
}

void* NodeMemory::allocate(std::size_t bytes, std::size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    throw std::invalid_argument("NodeMemory::allocate: the alignment is not a power of two");
  }
  // Two empty pieces must not share an offset.
  bytes = std::max<std::size_t>(bytes, 1);
  if (alignment > size_) throw std::bad_alloc();
  std::size_t offset = 0;
  auto next = used_.begin();
  while (true) {
    // The arena starts on a page: an alignment beyond that is one of the offset, as hardware sees
    // it.
    offset = (offset + alignment - 1) & ~(alignment - 1);
    const std::size_t end = next == used_.end() ? size_ : next->first;
    if (offset <= end && bytes <= end - offset) break;
    if (next == used_.end()) throw std::bad_alloc();
    offset = next->first + next->second;
    ++next;
  }
  used_.emplace_hint(next, offset, bytes);
  return base_ + offset;
}

void NodeMemory::release(void* pointer) {
  if (pointer == nullptr) return;
  const auto offset = offset_of(pointer);
  const auto found = offset ? used_.find(static_cast<std::size_t>(*offset)) : used_.end();
  if (found == used_.end()) {
    throw std::invalid_argument("NodeMemory::release: not a pointer that allocate() returned");
  }
  used_.erase(found);
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
