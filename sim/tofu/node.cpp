// SPDX-License-Identifier: Apache-2.0
#include <Vtofu_icc.h>
#include <Vtofu_icc___024root.h>

#include "sim/machine/state_bits.hpp"

namespace ht::machine {
StateBits state_bits(Vtofu_icc& top);  // made by state_bits.py
}  // namespace ht::machine

#include "sim/tofu/node_impl.hpp"

namespace ht::machine {
template class TofuNodeOf<Vtofu_icc>;
}  // namespace ht::machine
