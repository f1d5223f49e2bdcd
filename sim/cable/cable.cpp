// SPDX-License-Identifier: Apache-2.0
#include "sim/cable/cable_impl.hpp"

namespace ht::sim {

template class Cable<QpaceLineCode>;
template class Cable<EthernetLineCode>;
template class Cable<QcdocLineCode>;
template class Cable<TofuLineCode>;

}  // namespace ht::sim
