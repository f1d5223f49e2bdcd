// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>

namespace ht::host {

/// A node's DMA-reachable memory: one zeroed, lazily committed arena. Hardware addresses it by
/// byte offset, never by host pointer, so that waves and results are the same from run to run.
class NodeMemory {
 public:
  /// Reserves `bytes` (rounded up to whole pages). Throws std::bad_alloc if that is refused.
  /// `owner` is for errors, as in "node 3".
  explicit NodeMemory(std::size_t bytes, std::string owner = "a node");
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

  /// Offsets, aligned like the pointer, for memory that lies elsewhere: hardware reaches it by
  /// read() and write(), and whoever owns it may do with it what it likes. Throws std::bad_alloc
  /// when full, std::logic_error if the arena is a place given, whose hardware is another process.
  std::uint64_t map(void* pointer, std::size_t bytes);
  /// Gives back what map() returned.
  void unmap(std::uint64_t offset);

  /// What hardware does: bytes from an offset on, of the arena or of what is mapped. All of them
  /// must be in the arena's size. Throws ProtocolError if what is mapped cannot be read or written.
  void read(std::uint64_t offset, std::span<std::byte> to) const;
  void write(std::uint64_t offset, std::span<const std::byte> from);

  std::byte* data() { return base_; }
  const std::byte* data() const { return base_; }
  std::size_t size() const { return size_; }

 private:
  /// Where an offset is, and how many bytes lie in one piece from there on.
  struct Piece {
    std::byte* at;
    std::size_t bytes;
    bool mapped;
  };
  Piece piece(std::size_t offset) const;

  std::byte* base_ = nullptr;
  std::size_t size_ = 0;
  bool owns_ = true;
  std::string owner_;
  void add_gap(std::size_t offset, std::size_t bytes) noexcept;
  void drop_gap(std::map<std::size_t, std::size_t>::iterator gap);

  std::map<std::size_t, std::size_t> used_;  ///< offset -> bytes
  std::map<std::size_t, std::span<std::byte>> mapped_;
  std::map<std::size_t, std::size_t> gaps_;  ///< the same of what lies between
  /// Offsets of gaps by the width of their sizes: those that are too small are never looked at.
  std::array<std::set<std::size_t>, 65> gaps_by_width_;
};

/// Whether this process can read all of it.
bool is_readable(const void* memory, std::size_t bytes);

/// NodeMemory::map(), as long as this lives.
class MappedMemory {
 public:
  MappedMemory(NodeMemory& memory, void* pointer, std::size_t bytes)
      : memory_(memory), offset_(memory.map(pointer, bytes)) {}
  ~MappedMemory() { memory_.unmap(offset_); }
  MappedMemory(const MappedMemory&) = delete;
  MappedMemory& operator=(const MappedMemory&) = delete;
  std::uint64_t offset() const { return offset_; }

 private:
  NodeMemory& memory_;
  std::uint64_t offset_;
};

}  // namespace ht::host
