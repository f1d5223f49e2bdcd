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
  /// The names of all values of a signal that has an enumeration, in order of time, and how often
  /// each comes.
  std::vector<std::string> named_values(const std::string& signal) const;
  std::map<std::string, int> named_counts(const std::string& signal) const;
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

/// Checks that every signal which the GTKWave save file `stem`.gtkw names is in the wave file
/// `stem`.fst, and returns all names of that.
std::set<std::string> names_checked(const std::string& stem);

}  // namespace ht::test
