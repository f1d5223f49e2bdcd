// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory_file.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ht::fuzz {
namespace {

void check(bool good) {
  if (!good) throw std::system_error(errno, std::generic_category(), "a file in memory");
}

}  // namespace

MemoryFile::MemoryFile() : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  check(descriptor_ >= 0);
  path_ = "/proc/self/fd/" + std::to_string(descriptor_);
}

MemoryFile::~MemoryFile() {
  ::close(descriptor_);
}

void MemoryFile::hold(std::span<const std::byte> content) {
  check(::ftruncate(descriptor_, 0) == 0 && ::lseek(descriptor_, 0, SEEK_SET) == 0);
  check(::pwrite(descriptor_, content.data(), content.size(), 0) ==
        static_cast<ssize_t>(content.size()));
}

}  // namespace ht::fuzz
