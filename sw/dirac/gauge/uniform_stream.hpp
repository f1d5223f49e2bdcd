// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Random123/philox.h>

#include <array>
#include <cstdint>

namespace ht::dirac {

/// Uniform numbers, each a function of (seed, words, how many came before) alone: Philox 4x32-10
/// with the seed as key, three words of the counter given and the fourth counting.
class UniformStream {
 public:
  UniformStream(std::uint64_t seed, std::array<std::uint32_t, 3> words)
      : key_{{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}},
        counter_{{words[0], words[1], words[2], 0}} {}

  /// In (0, 1): 32 bits, centred, exact in double.
  double next() { return (static_cast<double>(bits()) + 0.5) * 0x1p-32; }
  /// In (-1, 1), likewise.
  double next_signed() { return (static_cast<double>(bits()) + 0.5) * 0x1p-31 - 1; }

 private:
  std::uint32_t bits() {
    if (used_ == 4) {
      block_ = r123::Philox4x32{}(counter_, key_);
      ++counter_[3];
      used_ = 0;
    }
    return block_[used_++];
  }

  r123::Philox4x32::key_type key_;
  r123::Philox4x32::ctr_type counter_, block_{};
  unsigned used_ = 4;
};

}  // namespace ht::dirac
