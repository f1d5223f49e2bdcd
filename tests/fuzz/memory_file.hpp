// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string>

namespace ht::fuzz {

/// A regular file in memory, for readers that want a path.
class MemoryFile {
 public:
  /// Throws std::system_error if there can be none.
  MemoryFile();
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  /// From now on it holds these bytes, and no others.
  void hold(std::span<const std::byte> content);
  const std::string& path() const { return path_; }

 private:
  int descriptor_;
  std::string path_;
};

}  // namespace ht::fuzz
