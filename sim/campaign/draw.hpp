// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Random123/philox.h>

#include <cstdint>

namespace ht::campaign {

/// Random numbers of one run of a campaign: each is a function of (seed, run, purpose, number)
/// alone.
class Draw {
 public:
  Draw(std::uint64_t seed, std::uint64_t run, std::uint32_t purpose)
      : key_{{low(seed), high(seed)}}, run_(run), purpose_(purpose) {}

  /// 64 even random bits.
  std::uint64_t bits() {
    const auto r = r123::Philox4x32()({{number_++, purpose_, low(run_), high(run_)}}, key_);
    return static_cast<std::uint64_t>(r[1]) << 32 | r[0];
  }
  /// Evenly from [0, n), n > 0.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits()) * n >> 64);
  }
  /// Evenly from [first, last].
  std::int64_t between(std::int64_t first, std::int64_t last) {
    return first + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(last - first) + 1));
  }
  /// True once in `n` times.
  bool once_in(std::uint64_t n) { return below(n) == 0; }

 private:
  static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

  r123::Philox4x32::key_type key_;
  std::uint64_t run_;
  std::uint32_t purpose_;
  std::uint32_t number_ = 0;
};

}  // namespace ht::campaign
