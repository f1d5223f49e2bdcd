// SPDX-License-Identifier: Apache-2.0
#pragma once
// What targets share. Whatever must not be ends the process: libFuzzer, or our own driver, then
// keeps the input.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

#include "sw/host/errors.hpp"

namespace ht::fuzz {

using Bytes = std::span<const std::uint8_t>;

/// Ends the process, saying what was not as it must be, unless `good`.
inline void require(bool good, std::string_view what) {
  if (good) return;
  std::fprintf(stderr, "property violated: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

/// One line that a terminal takes as it is, and that somebody reads to its end.
inline void require_line(std::string_view text) {
  constexpr std::size_t longest = 2000;
  require(!text.empty() && text.size() <= longest, "a message is empty, or has no end");
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F) continue;
    std::fprintf(stderr, "message: %.*s\n", static_cast<int>(text.size()), text.data());
    require(false, "a message has control characters in it");
  }
}

/// Whether the parser takes its input. It refuses it by one of the project's errors, with one line;
/// any other exception ends the process.
template <class Parse>
bool takes(Parse parse) {
  try {
    parse();
    return true;
  } catch (const Error& e) {
    require_line(e.what());
    return false;
  }
}

/// Numbers out of an input: zeros after its end.
class Draw {
 public:
  explicit Draw(Bytes bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  template <class T = std::uint8_t>
  T number() {
    T value{};
    for (std::size_t i = 0; i < sizeof(T) && !rest_.empty(); ++i) {
      value = static_cast<T>(value | static_cast<T>(static_cast<T>(rest_[0]) << (8 * i)));
      rest_ = rest_.subspan(1);
    }
    return value;
  }
  /// From 0 to `count` - 1; `count` at most 256.
  unsigned below(unsigned count) { return number<std::uint8_t>() % count; }
  Bytes take(std::size_t count) {
    const Bytes taken = rest_.first(count < rest_.size() ? count : rest_.size());
    rest_ = rest_.subspan(taken.size());
    return taken;
  }
  Bytes rest() const { return rest_; }

 private:
  Bytes rest_;
};

inline std::string_view text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace ht::fuzz

/// libFuzzer's entry point of a target. Returns 0.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
