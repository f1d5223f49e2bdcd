// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

namespace ht::host {

/// A regular file's content, mapped into memory: nothing is read, and no memory taken, before
/// it is accessed, however large the file says it is.
class InputFile {
 public:
  /// Throws DataError: "FILE: what is wrong; remedy".
  InputFile(const std::filesystem::path& file, const std::string& remedy);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  std::span<const std::byte> content() const { return {data_, bytes_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The content of a small file, copied; empty if it cannot be read.
std::string content_of(const std::filesystem::path& file);

/// Text out of a file as it may be shown: what is not printable ASCII becomes \xNN, and what is
/// longer than `most` characters is cut, with its length.
std::string printable(std::string_view text, std::size_t most = 80);

}  // namespace ht::host
