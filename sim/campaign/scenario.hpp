// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sim/cable/fault_plan.hpp"
#include "sim/campaign/trouble.hpp"

namespace ht::campaign {

/// What a machine's campaign is asked for.
struct ScenarioOptions {
  std::vector<int> shape{2};
  std::uint64_t seed = 1;
  unsigned forged_every = 50;     ///< every so-manieth run has damage the link cannot see; 0: none
  bool ignore_checksums = false;  ///< as if links kept none: what only they notice is a finding
  std::vector<Trouble> troubles;  ///< to draw from; empty: what the link is made to detect
};

/// What is drawn for one run, whatever machine it is.
struct Scenario {
  Picoseconds cable_delay = 0;
  std::vector<sim::FaultPlan> faults;  ///< by sender's number * links + link
  std::vector<Trouble> troubles;       ///< drawn
  int forged_cable = -1;               ///< number, or -1
  bool ignore_checksums = false;       ///< as asked for
  Picoseconds quiet = 0;               ///< from then on nothing goes wrong any more
};

/// A run in which nothing has happened for so long is given up by the kernel.
constexpr Picoseconds run_watchdog = 300'000'000;

/// Options of a machine for run `run`, of any kind; its shape is the caller's to set.
template <class MachineOptions>
MachineOptions machine_options(const ScenarioOptions& o, const Scenario& s, std::uint64_t run) {
  MachineOptions m;
  m.random_phases = true;
  m.cable_delay = s.cable_delay;
  m.faults = s.faults;
  m.seed = o.seed * 0x9e3779b97f4a7c15U + run;
  m.kernel.threads = 1;
  m.kernel.watchdog = run_watchdog;
  return m;
}

}  // namespace ht::campaign
