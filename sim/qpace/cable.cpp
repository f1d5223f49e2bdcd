// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/cable.hpp"

#include "sim/cable/cable_impl.hpp"

namespace ht::sim {

template class Cable<QpaceLineCode>;
template class Cable<EthernetLineCode>;

}  // namespace ht::sim
