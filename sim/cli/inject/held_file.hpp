// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace ht::cli {

/// A file that is replaced again and again, by one process at a time: it is locked while this
/// lives.
class HeldFile {
 public:
  explicit HeldFile(std::string file) : file_(std::move(file)) {}
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  /// The file as it is, if there is one: before it is read, and after it was replaced. Throws
  /// DataError if another process holds it.
  void hold();
  /// Throws DataError if it is another one than was held last.
  void check() const;

 private:
  std::string file_;
  int held_ = -1;
};

}  // namespace ht::cli
