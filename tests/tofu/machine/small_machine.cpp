// SPDX-License-Identifier: Apache-2.0
#include "tests/tofu/machine/small_machine.hpp"

#include <Vtofu_small_icc.h>
#include <Vtofu_small_icc___024root.h>

#include "sim/machine/state_bits.hpp"

namespace ht::machine {
StateBits state_bits(Vtofu_small_icc& top);  // made by state_bits.py
}  // namespace ht::machine

#include "sim/tofu/machine_impl.hpp"
#include "sim/tofu/node_impl.hpp"

namespace ht::machine {
template class TofuNodeOf<Vtofu_small_icc>;
template class TofuMachineOf<TofuNodeOf<Vtofu_small_icc>>;
}  // namespace ht::machine
