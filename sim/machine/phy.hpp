// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>

#include "sim/lane/lane_cable.hpp"

namespace ht::machine {

/// Lanes between each link and its cable (rtl/lane).
struct Phy {
  sim::lanes::LaneOptions lanes;
  /// Every node's oscillator is off by up to this, drawn; parts per billion.
  std::int64_t most_off = 0;
};

/// "4 lanes a cable, skew 8000 ps, ...", for people.
std::string describe(const Phy& phy);

}  // namespace ht::machine
