// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <random>

#include "sim/machine/phy.hpp"
#include "tests/support/test_seed.hpp"

namespace ht::test {

/// A machine's options over lanes, drawn: everything that a user may vary, up to what is allowed.
/// `word`: time of a word on the wire, ps.
template <class Options>
Options drawn_over_lanes(std::uint64_t trial, sim::lanes::Shape shape, Picoseconds word) {
  std::mt19937_64 random(seed_of(trial));
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Options options;
  options.seed = random();
  options.random_phases = true;
  options.random_state = true;
  options.errors.bit_error_rate = 1e-6;
  options.cable_delay = 3 * word + below(300'000);
  machine::Phy phy;
  phy.lanes.shape = shape;
  phy.lanes.skew = below(10 * word);
  phy.lanes.jitter = below(word / 4);
  phy.lanes.drift = below(word);
  phy.most_off = 300'000;
  options.phy = phy;
  return options;
}

}  // namespace ht::test
