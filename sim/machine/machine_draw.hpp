// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <Random123/philox.h>

#include <cstdint>

namespace ht::machine {

/// What random numbers are drawn for: each purpose has its own. Those from 2 to 99 belong to the
/// kinds of errors (sim::CountedError::stream).
enum class Purpose : std::uint32_t {
  Phases = 1,
  CableLengths = 100,
  InitialState = 101,
  MemoryTimes = 102,
  Oscillators = 103
};

/// Counter-based random numbers for what is drawn once for the whole machine.
class MachineDraw {
 public:
  MachineDraw(std::uint64_t seed, Purpose purpose)
      : key_{{seed}}, purpose_(static_cast<std::uint32_t>(purpose)) {}

  /// The next number, evenly from [0, limit).
  std::int64_t below(std::int64_t limit) { return below(limit, count_++); }
  /// The number that belongs to `index`, whatever else was drawn.
  std::int64_t below(std::int64_t limit, std::uint64_t index) const {
    const auto r = r123::Philox2x64()({{index, purpose_}}, key_);
    return static_cast<std::int64_t>(r[0] % static_cast<std::uint64_t>(limit));
  }

 private:
  r123::Philox2x64::key_type key_;
  std::uint32_t purpose_;
  std::uint64_t count_ = 0;
};

}  // namespace ht::machine
