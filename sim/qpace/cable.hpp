// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cable/cable.hpp"
#include "sim/qpace/line_code.hpp"

namespace ht::sim {

/// One direction of a link's cable.
using QpaceCable = Cable<QpaceLineCode>;
extern template class Cable<QpaceLineCode>;
/// One direction of an Ethernet cable.
using EthernetCable = Cable<EthernetLineCode>;
extern template class Cable<EthernetLineCode>;

}  // namespace ht::sim
