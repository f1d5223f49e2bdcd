// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

#include "sw/host/memory.hpp"

namespace ht::tofu {

/// Memory of a program that lies where the hardware does not reach, and its image in the node's
/// memory. Whenever the program asks something of the network, both are made equal: a byte that
/// changed on one side since the last time is copied to the other; where both did, the network's.
class MirroredMemory {
 public:
  /// The image begins at the same place of 16 bytes as the program's memory.
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
  std::byte* image_;
  std::vector<std::byte> known_;  ///< what both had the last time
};

}  // namespace ht::tofu
