// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>

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

/// How memory is reached, by address in bytes.
struct TniReach {
  std::function<void(std::uint64_t, std::span<std::byte>)> read;
  std::function<void(std::uint64_t, std::span<const std::byte>)> write;
  std::size_t size = 0;

  TniReach() = default;
  /// Memory in one piece, which must live as long as this.
  TniReach(std::span<std::byte> bytes);
};

/// A node's memory as its network interfaces see it, by address and by steering tag:
/// rtl/tofu/README.md, "Steering tags". Throws std::out_of_range for addresses beyond its end.
class TniMemory {
 public:
  explicit TniMemory(TniReach reach) : reach_(std::move(reach)) {}

  template <class T>
  T load(std::uint64_t address) const {
    T value{};
    fetch(address, std::as_writable_bytes(std::span(&value, 1)));
    return value;
  }
  template <class T>
  void store(std::uint64_t address, const T& value) {
    put(address, std::as_bytes(std::span(&value, 1)));
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
  void fetch(std::uint64_t address, std::span<std::byte> to) const;
  void put(std::uint64_t address, std::span<const std::byte> from);
  void check_range(std::uint64_t address, std::size_t bytes) const;
  /// Bytes from an offset to the end of its page.
  std::uint64_t in_page(std::uint32_t tag, std::uint64_t offset) const;

  TniReach reach_;
};

}  // namespace ht::model
