// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <vector>

namespace ht::qmp {

/// Where the bytes of a message lie relative to a base address: blocks, in the order in which they
/// are sent.
class MessageLayout {
 public:
  /// `count` blocks of `bytes` bytes, `stride` bytes from start to start, the first at `offset`.
  void append(std::ptrdiff_t offset, std::size_t bytes, std::size_t count, std::ptrdiff_t stride);

  std::size_t bytes() const { return bytes_; }
  /// True if the message is one piece at the base address.
  bool contiguous() const;

  /// Whether one of its bytes, from `base` on, lies in the `bytes` bytes at `memory`.
  bool touches(const std::byte* base, const std::byte* memory, std::size_t bytes) const;

  void gather(const std::byte* base, std::byte* to) const;
  void scatter(const std::byte* from, std::byte* base) const;

  struct Run {
    std::ptrdiff_t offset;
    std::size_t bytes;
    std::size_t count;
    std::ptrdiff_t stride;
  };
  const std::vector<Run>& runs() const { return runs_; }

 private:
  std::vector<Run> runs_;
  std::size_t bytes_ = 0;
};

}  // namespace ht::qmp
