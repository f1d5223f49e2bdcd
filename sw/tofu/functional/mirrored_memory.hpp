// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "sw/host/memory.hpp"

namespace ht::tofu {

/// Memory of a program that lies where the hardware does not reach, and its image in the node's
/// memory. They are the same pages, where the program may write its own: mapped at both places, so
/// that what one side writes is there for the other at once, as in a processor whose caches snoop.
/// What else lies in these pages moves with them, without a visible difference.
///
/// Memory that the program must not write, or pages that the system refuses to map again, are kept
/// equal by copying: whenever the program asks something of the network, a byte that changed on one
/// side since the last time is copied to the other; where both did, the network's.
class MirroredMemory {
 public:
  /// The image begins at the same place of a page as the program's memory.
  /// Throws std::bad_alloc.
  MirroredMemory(host::NodeMemory& memory, void* program, std::size_t bytes);
  ~MirroredMemory();
  MirroredMemory(const MirroredMemory&) = delete;
  MirroredMemory& operator=(const MirroredMemory&) = delete;

  const std::byte* image() const { return image_; }
  /// Returns how many bytes were copied.
  std::size_t synchronise();

 private:
  host::NodeMemory& memory_;
  std::byte* program_;
  std::byte* block_;  ///< allocated
  std::size_t block_bytes_ = 0;
  std::byte* image_;
  std::vector<std::byte> known_;  ///< what both had the last time; empty if they are the same pages
};

}  // namespace ht::tofu
