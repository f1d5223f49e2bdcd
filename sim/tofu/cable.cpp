// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/cable.hpp"

#include "sim/cable/cable_impl.hpp"

namespace ht::sim {

template class Cable<TofuLineCode>;

}  // namespace ht::sim
