// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/functional/mirrored_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace ht::tofu {
namespace {
constexpr std::size_t beat = 16, page = 4096;
}

MirroredMemory::MirroredMemory(host::NodeMemory& memory, void* program, std::size_t bytes)
    : memory_(memory),
      program_(static_cast<std::byte*>(program)),
      block_(static_cast<std::byte*>(memory.allocate(bytes + beat))),
      image_(block_ + reinterpret_cast<std::uintptr_t>(program) % beat),
      known_(program_, program_ + bytes) {
  std::memcpy(image_, program_, bytes);
}

MirroredMemory::~MirroredMemory() {
  memory_.release(block_);
}

std::size_t MirroredMemory::synchronise() {
  std::size_t copied = 0;
  for (std::size_t at = 0; at < known_.size(); at += page) {
    const std::size_t n = std::min(page, known_.size() - at);
    if (std::memcmp(program_ + at, known_.data() + at, n) == 0 &&
        std::memcmp(image_ + at, known_.data() + at, n) == 0)
      continue;
    for (std::size_t i = at; i < at + n; ++i) {
      if (image_[i] != known_[i]) {
        known_[i] = program_[i] = image_[i];
        ++copied;
      } else if (program_[i] != known_[i]) {
        known_[i] = image_[i] = program_[i];
        ++copied;
      }
    }
  }
  return copied;
}

}  // namespace ht::tofu
