// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace ht::test {

/// An FST file as the library that comes with it reads it.
class WaveFile {
 public:
  /// Throws std::runtime_error if it cannot be read, as when it was not closed.
  explicit WaveFile(const std::string& file);

  /// "node0.px.state[1:0]" and so on.
  std::set<std::string> names() const;
  /// Names of the enumeration of a signal, by value; empty if it has none.
  std::vector<std::string> enumeration(const std::string& signal) const;

  struct Change {
    std::uint64_t time;
    std::uint64_t value;
  };
  /// All values of a signal of at most 64 bits, in order of time. Throws if there is no such
  /// signal.
  const std::vector<Change>& changes(const std::string& signal) const;
  /// Of all signals.
  std::uint64_t first_time() const { return first_; }
  std::uint64_t last_time() const { return last_; }

 private:
  static void note(void* self, std::uint64_t time, std::uint32_t handle,
                   const unsigned char* value);

  std::map<std::string, std::uint32_t> handles_;
  std::map<std::string, std::uint32_t> enumeration_of_;
  std::map<std::uint32_t, std::vector<std::string>> enumerations_;
  std::map<std::uint32_t, std::vector<Change>> changes_;
  std::uint64_t first_ = 0, last_ = 0;
};

/// The signals a GTKWave save file names.
std::vector<std::string> signals_of_save_file(const std::string& file);

}  // namespace ht::test
