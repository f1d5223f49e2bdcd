// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "sim/tofu/machine.hpp"

namespace ht::machine {

/// Machines of TofuD's nodes: the same Verilog with six network interfaces, and gates of three
/// states on each. They are in a library of their own (tofud_plugin.cpp).
using TofudMachine = TofuMachineOf<TofuNodeOf<Vtofud_icc>>;

/// What hypertorus_tofud() of that library returns.
struct TofudBuilder {
  std::unique_ptr<Machine> (*build)(TofuMachineOptions options);
};

/// Options of a TofuD machine: its profile, and its clock.
inline TofuMachineOptions with_profile(TofuMachineOptions options, const tofu::Profile& profile) {
  options.driver.profile = profile;
  options.node.clock.period = profile.cycle;
  return options;
}

}  // namespace ht::machine
