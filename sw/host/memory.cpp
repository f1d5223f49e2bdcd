// SPDX-License-Identifier: Apache-2.0
#include "sw/host/memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "sw/host/errors.hpp"

namespace ht::host {
namespace {

constexpr std::size_t line = 16;  // the widest port to memory

// A program may do with its memory what it likes: what is not there any more is an error here, and
// no signal. By way of the kernel, which may have no leave to do so (seccomp).
using Move = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                         unsigned long);
bool move(Move by, std::byte* here, std::byte* there, std::size_t bytes) {
  const iovec local{here, bytes}, remote{there, bytes};
  const ssize_t moved = by(::getpid(), &local, 1, &remote, 1, 0);
  if (moved >= 0 || (errno != EPERM && errno != ENOSYS))
    return moved == static_cast<ssize_t>(bytes);
  if (by == ::process_vm_readv)
    std::memcpy(here, there, bytes);
  else
    std::memcpy(there, here, bytes);
  return true;
}

}  // namespace

NodeMemory::NodeMemory(std::size_t bytes, std::string owner) : owner_(std::move(owner)) {
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

std::uint64_t NodeMemory::map(void* pointer, std::size_t bytes) {
  if (!owns_) throw std::logic_error("NodeMemory::map: hardware is in another process");
  if (bytes > size_) throw std::bad_alloc();
  const std::size_t begin = reinterpret_cast<std::uintptr_t>(pointer) % line;
  // Lines belong to one owner, and are read as a whole.
  auto* const block =
      static_cast<std::byte*>(allocate((begin + bytes + line - 1) / line * line, line));
  const auto offset = static_cast<std::size_t>(block - base_) + begin;
  try {
    mapped_.emplace(offset, std::span(static_cast<std::byte*>(pointer), bytes));
  } catch (...) {
    release(block);
    throw;
  }
  return offset;
}

void NodeMemory::unmap(std::uint64_t offset) {
  mapped_.erase(offset);
  release(base_ + offset / line * line);
}

NodeMemory::Piece NodeMemory::piece(std::size_t offset) const {
  const auto next = mapped_.upper_bound(offset);
  if (next != mapped_.begin()) {
    const auto& [begin, memory] = *std::prev(next);
    if (offset - begin < memory.size())
      return {memory.data() + (offset - begin), memory.size() - (offset - begin), true};
  }
  return {base_ + offset, (next == mapped_.end() ? size_ : next->first) - offset, false};
}

void NodeMemory::read(std::uint64_t offset, std::span<std::byte> to) const {
  while (!to.empty()) {
    const Piece from = piece(offset);
    const std::size_t n = std::min(to.size(), from.bytes);
    if (!from.mapped)
      std::memcpy(to.data(), from.at, n);
    else if (!move(::process_vm_readv, to.data(), from.at, n))
      throw ProtocolError(fmt::format(
          "{}: the network reads registered memory at {}, which is not there any more or cannot be "
          "read; deregister memory before it is given back",
          owner_, fmt::ptr(from.at)));
    to = to.subspan(n);
    offset += n;
  }
}

void NodeMemory::write(std::uint64_t offset, std::span<const std::byte> from) {
  while (!from.empty()) {
    const Piece to = piece(offset);
    const std::size_t n = std::min(from.size(), to.bytes);
    if (!to.mapped)
      std::memcpy(to.at, from.data(), n);
    else if (!move(::process_vm_writev, const_cast<std::byte*>(from.data()), to.at, n))
      throw ProtocolError(fmt::format(
          "{}: the network writes to registered memory at {}, which is not there any more or "
          "cannot be written; register what is only read as such, and deregister memory before it "
          "is given back",
          owner_, fmt::ptr(to.at)));
    from = from.subspan(n);
    offset += n;
  }
}

bool is_readable(const void* memory, std::size_t bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  if (bytes > std::numeric_limits<std::uintptr_t>::max() - first) return false;
  // A byte of each page.
  std::array<std::byte, 1024> bucket;
  std::array<iovec, bucket.size()> remote;
  for (std::uintptr_t at = first, end = first + bytes; at < end;) {
    std::size_t n = 0;
    for (; n < remote.size() && at < end; at = (at / page + 1) * page)
      remote[n++] = {reinterpret_cast<void*>(at), 1};
    const iovec local{bucket.data(), n};
    const ssize_t got = ::process_vm_readv(::getpid(), &local, 1, remote.data(), n, 0);
    if (got < 0 && (errno == EPERM || errno == ENOSYS))
      return ::msync(reinterpret_cast<void*>(first / page * page), bytes + first % page,
                     MS_ASYNC) == 0;  // does nothing but to look
    if (got != static_cast<ssize_t>(n)) return false;
  }
  return true;
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
