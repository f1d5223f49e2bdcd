// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>

namespace ht::model {

/// Where a field of a wire format is: its lowest bit and its width, at most 64. Bit k is bit k % 8
/// of byte k / 8 of what is sent.
struct WireField {
  unsigned low, width;
};

/// The field's value in words of which the first holds the lowest bits. A field may lie across
/// words.
template <class Word, std::size_t N>
constexpr std::uint64_t field(const std::array<Word, N>& words, WireField f) {
  constexpr unsigned bits = std::numeric_limits<Word>::digits;
  std::uint64_t value = 0;
  for (unsigned i = f.width; i-- > 0;) {
    const unsigned at = f.low + i;
    value = value << 1 | (words[at / bits] >> (at % bits) & 1U);
  }
  return value;
}

/// Puts a value there. Throws std::invalid_argument for one that does not fit.
template <class Word, std::size_t N>
constexpr void set_field(std::array<Word, N>& words, WireField f, std::uint64_t value) {
  constexpr unsigned bits = std::numeric_limits<Word>::digits;
  if (f.width < 64 && value >> f.width != 0)
    throw std::invalid_argument("wire format: value out of its field's range");
  for (unsigned i = 0; i < f.width; ++i) {
    const unsigned at = f.low + i;
    Word& word = words[at / bits];
    word = static_cast<Word>((word & ~(Word{1} << (at % bits))) |
                             (static_cast<Word>(value >> i & 1U) << (at % bits)));
  }
}

}  // namespace ht::model
