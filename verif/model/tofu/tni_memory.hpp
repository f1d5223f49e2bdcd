// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "verif/model/tofu/tni_packet.hpp"

namespace ht::model {

/// What is wanted of memory named by a tag.
enum class TniRight : std::uint8_t { Read, Write, Atomic };
struct TniAccess {
  std::uint32_t tag = 0;
  std::uint64_t offset = 0, length = 0;  ///< bytes
  unsigned queue = 0;                    ///< must own the tag
  TniRight right = TniRight::Read;
  bool local = false;  ///< its owner's own command: may everything
};

/// A node's memory as its network interfaces see it, by address and by steering tag:
/// rtl/tofu/README.md, "Steering tags". Throws std::out_of_range for addresses beyond its end.
class TniMemory {
 public:
  explicit TniMemory(std::span<std::byte> bytes) : bytes_(bytes) {}

  template <class T>
  T load(std::uint64_t address) const {
    T value{};
    std::memcpy(&value, at(address, sizeof value), sizeof value);
    return value;
  }
  template <class T>
  void store(std::uint64_t address, const T& value) {
    std::memcpy(at(address, sizeof value), &value, sizeof value);
  }

  std::uint64_t table = 0;  ///< bytes
  std::uint32_t tags = 0;

  /// Whether an access is allowed.
  TniCause check(const TniAccess& access) const;
  /// Moves bytes, page by page; the access was checked.
  void read(std::uint32_t tag, std::uint64_t offset, std::span<std::byte> to) const;
  void write(std::uint32_t tag, std::uint64_t offset, std::span<const std::byte> from);
  /// Where a byte is.
  std::uint64_t address(std::uint32_t tag, std::uint64_t offset) const;

 private:
  std::byte* at(std::uint64_t address, std::size_t bytes) const;
  /// Bytes from an offset to the end of its page.
  std::uint64_t in_page(std::uint32_t tag, std::uint64_t offset) const;

  std::span<std::byte> bytes_;
};

}  // namespace ht::model
