// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace ht::program {

/// What a program's file says about itself, read without loading it.
class ProgramFile {
 public:
  /// Throws DataError if the file is missing, truncated, no shared object of this computer's kind,
  /// or was not linked by hypertorus-cc.
  explicit ProgramFile(std::string path);

  const std::string& path() const { return path_; }

  /// CRC-32 of the whole file, as zlib's.
  std::uint32_t crc32() const { return crc32_; }

  /// Length of its image in memory, from the address it is loaded at.
  std::uint64_t image_bytes() const { return image_bytes_; }

  /// "exchange()" for an offset into the image that lies in a function of that name; else
  /// "offset 0x1234". Static functions have names too, unless the file was stripped.
  std::string function_at(std::uint64_t offset) const;

  /// Whether it lies in none of the functions, as what a linker puts between a call and a library
  /// does. False of a file without names of functions. Allocates nothing.
  bool between_functions(std::uint64_t offset) const;

  /// "halo.c:12" for an offset into the image, if the program has information for debuggers and
  /// addr2line is installed; else what is missing. Starts a process.
  std::string line_at(std::uint64_t offset) const;

 private:
  struct Function {
    std::uint64_t begin, bytes;
    std::string name;
  };

  void read(const std::vector<char>& content);
  const Function* find(std::uint64_t offset) const;

  std::string path_;
  std::uint32_t crc32_ = 0;
  std::uint64_t image_bytes_ = 0;
  std::vector<Function> functions_;                     ///< by address
  mutable std::mutex lines_mutex_;                      ///< nodes on several threads ask
  mutable std::map<std::uint64_t, std::string> lines_;  ///< that were asked for
};

}  // namespace ht::program
