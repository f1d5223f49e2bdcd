// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "tests/tofu/interface/tni_net.hpp"

namespace ht::test {

/// Puts and gets between two nodes at random places, each looked at byte by byte: what was to be
/// moved was, and nothing else changed.
class TniTransfers {
 public:
  explicit TniTransfers(std::uint64_t seed);

  TniNet net;
  /// One of them, of so many bytes. Fails the test.
  void any(std::uint32_t length);

 private:
  /// Where a byte of a tag of a node lies.
  std::uint64_t place(unsigned node, unsigned tag, std::uint64_t offset) const;
  std::mt19937_64 random_;
  std::vector<std::uint64_t> frames_;
};

}  // namespace ht::test
