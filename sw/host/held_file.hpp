// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <utility>

namespace ht::host {

/// A file that is written over and over, or for long, by one process at a time: it is locked while
/// this lives. Devices and FIFOs are not.
class HeldFile {
 public:
  /// `writer`: what writes such a file, as in "another run writes it, too".
  HeldFile(std::string file, std::string writer)
      : file_(std::move(file)), writer_(std::move(writer)) {}
  ~HeldFile();
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  /// The file as it is, if there is one: before it is read or emptied, and after it was made or
  /// replaced. Throws DataError if another process holds it.
  void hold();
  /// Throws DataError if it is another one than was held last.
  void check() const;

 private:
  [[noreturn]] void held_by_another() const;

  std::string file_, writer_;
  int held_ = -1;
};

/// Throws DataError if a file cannot be written, or if another `writer` holds it now: before work
/// begins. Who writes it holds it for as long as it does.
void check_free(const std::string& file, const std::string& writer);

}  // namespace ht::host
