// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace ht::host {

/// A node's DMA-reachable memory: one zeroed, lazily committed arena. Hardware addresses it by
/// byte offset, never by host pointer, so that waves and results are the same from run to run.
class NodeMemory {
 public:
  /// Reserves `bytes` (rounded up to whole pages). Throws std::bad_alloc if that is refused.
  explicit NodeMemory(std::size_t bytes);
  /// The same over memory that is there already, which stays its owner's and keeps its contents.
  explicit NodeMemory(std::span<std::byte> place)
      : base_(place.data()), size_(place.size()), owns_(false) {}
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
  std::map<std::size_t, std::size_t> used_;  ///< offset -> bytes
};

}  // namespace ht::host
