// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/tofud.hpp"

#include <Vtofud_icc.h>
#include <Vtofud_icc___024root.h>

#include "sim/machine/state_bits.hpp"

namespace ht::machine {
StateBits state_bits(Vtofud_icc& top);  // made by state_bits.py
}  // namespace ht::machine

#include "sim/tofu/machine_impl.hpp"
#include "sim/tofu/node_impl.hpp"

namespace ht::machine {
template class TofuNodeOf<Vtofud_icc>;
template class TofuMachineOf<TofuNodeOf<Vtofud_icc>>;
}  // namespace ht::machine
