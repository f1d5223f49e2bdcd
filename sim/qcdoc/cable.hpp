// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cable/cable.hpp"
#include "sim/qcdoc/serial_line.hpp"

namespace ht::sim {

/// One connection between two serialisers.
using QcdocCable = Cable<QcdocLineCode>;
extern template class Cable<QcdocLineCode>;

}  // namespace ht::sim
