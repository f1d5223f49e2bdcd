// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/phy.hpp"

#include <fmt/format.h>

namespace ht::machine {

std::string describe(const Phy& phy) {
  const sim::lanes::LaneOptions& lanes = phy.lanes;
  return fmt::format("{} a cable; clocks up to {:g} ppm off, skew {} ps, jitter {} ps, drift {} ps",
                     lanes.shape.lanes, static_cast<double>(phy.most_off) * 1e-3, lanes.skew,
                     lanes.jitter, lanes.drift);
}

}  // namespace ht::machine
