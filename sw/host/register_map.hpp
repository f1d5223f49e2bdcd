// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

/// What rtl/regmap.py says of registers in C++, for all machines.
namespace ht::host {

enum class Access { ReadWrite, ReadOnly, WriteOneToClear, WriteOnly };

/// A field of a register: get(word) extracts it, put(value) places it (0 elsewhere).
struct Field {
  std::uint32_t mask;
  std::uint32_t shift;
  constexpr std::uint32_t get(std::uint32_t word) const { return (word & mask) >> shift; }
  constexpr std::uint32_t put(std::uint32_t value) const { return (value << shift) & mask; }
};

/// One cause in a register of sticky errors.
struct Cause {
  Field field;
  std::string_view name;
  std::string_view doc;
};

/// What a register is, for tools and tests. Addresses count 32-bit words.
struct Register {
  std::string_view name;
  std::uint32_t address;  ///< of the first element of an array, from the start of its map
  Access access;
  std::uint32_t reset;
  std::uint32_t mask;  ///< bits that exist
  std::uint32_t max;   ///< larger values, and others than of `mask`, are refused; or all ones
  bool is_volatile;    ///< hardware changes it by itself
  std::uint32_t count0, stride0, count1, stride1;  ///< array dimensions, 1 and 0 where absent
  std::string_view doc;
};

}  // namespace ht::host
