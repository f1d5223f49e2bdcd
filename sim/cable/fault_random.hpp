// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "verif/model/common/logarithm.hpp"

namespace ht::sim {

/// Random numbers for one cable's faults, by Philox 4x32-10 (Random123): each is a function of
/// (seed, cable, stream, number) alone.
class FaultRandom {
 public:
  enum Stream : std::uint32_t {
    BitErrors,
    BurstPlace,
    BurstPattern,
    Lost,
    Doubled,
    LaneSkew,
    LaneOffset,
    LaneJitter,
    LaneDrift
  };

  FaultRandom(std::uint64_t seed, std::uint32_t cable) : seed_(seed), cable_(cable) {}

  /// 64 even random bits.
  std::uint64_t draw(Stream stream, std::uint64_t number) const;
  /// A whole number evenly from [0, n), n > 0.
  std::uint64_t below(Stream stream, std::uint64_t number, std::uint64_t n) const;

 private:
  std::uint64_t seed_;
  std::uint32_t cable_;
};

using model::minus_log;
using model::minus_log_1m;

/// How many trials of probability `p` (0 < p <= 1) fail before the first that succeeds, from 64
/// random bits; at most 2^61.
std::int64_t geometric_gap(std::uint64_t random, double p);

}  // namespace ht::sim
