// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/tofu/machine.hpp"

class Vtofu_small_icc;

namespace ht::machine {

/// The smallest controller, as fpga/tofu/fit.toml has it for an ECP5: one link, one network
/// interface, 16 gates for whole numbers.
template <>
struct TofuInterfaces<Vtofu_small_icc> {
  static constexpr unsigned networks = 1, barriers = 1;
};

using SmallTofuMachine = TofuMachineOf<TofuNodeOf<Vtofu_small_icc>>;

}  // namespace ht::machine
