// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace ht::host {

/// A node's DMA-reachable memory: one zeroed, lazily committed arena. Hardware addresses it by
/// byte offset, never by host pointer, so that waves and results are the same from run to run.
class NodeMemory {
 public:
  /// Reserves `bytes` (rounded up to whole pages). Throws std::bad_alloc if that is refused.
  explicit NodeMemory(std::size_t bytes);
  /// The same over memory that is there already, which stays its owner's and keeps its contents.
  explicit NodeMemory(std::span<std::byte> place);
  ~NodeMemory();
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;

  /// First fit, lowest offset first, so that offsets repeat from run to run. `alignment` is a power
  /// of two. Throws std::bad_alloc when full.
  void* allocate(std::size_t bytes, std::size_t alignment = 128);
  /// Gives back what allocate() returned; null is allowed. Throws std::invalid_argument otherwise.
  void release(void* pointer);

  /// Byte offset of `pointer` if all of [pointer, pointer + bytes) lies in the arena.
  std::optional<std::uint64_t> offset_of(const void* pointer, std::size_t bytes = 0) const;

  std::byte* data() { return base_; }
  const std::byte* data() const { return base_; }
  std::size_t size() const { return size_; }

 private:
  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  bool owns_ = true;
  void add_gap(std::size_t offset, std::size_t bytes) noexcept;
  void drop_gap(std::map<std::size_t, std::size_t>::iterator gap);

  std::map<std::size_t, std::size_t> used_;  ///< offset -> bytes
  std::map<std::size_t, std::size_t> gaps_;  ///< the same of what lies between
  /// Offsets of gaps by the width of their sizes: those that are too small are never looked at.
  std::array<std::set<std::size_t>, 65> gaps_by_width_;
};

}  // namespace ht::host
