// SPDX-License-Identifier: Apache-2.0
#include "sim/qcdoc/cable.hpp"

#include "sim/cable/cable_impl.hpp"

namespace ht::sim {

template class Cable<QcdocLineCode>;

}  // namespace ht::sim
