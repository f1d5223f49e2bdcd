// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "sw/host/time.hpp"

namespace ht::bench {

/// Called at the ends of windows with how far the simulated machine has come.
using Progress = std::function<void(Picoseconds now)>;

/// Who moves a measurement's data.
enum class Software : std::uint8_t {
  None,    ///< a program that knows the hardware
  Driver,  ///< the driver under QMP, with its costs
};

}  // namespace ht::bench
