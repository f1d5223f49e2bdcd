// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>

#include "sw/host/time.hpp"

namespace ht::bench {

/// Told how far the simulated machine has come, at the ends of its windows.
using Progress = std::function<void(Picoseconds now)>;

/// Who moves a measurement's data.
enum class Software : std::uint8_t {
  None,    ///< a program that knows the hardware
  Driver,  ///< the driver under QMP, with its costs
};

}  // namespace ht::bench
