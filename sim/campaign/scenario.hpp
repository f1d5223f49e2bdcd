// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cable/fault_plan.hpp"
#include "sim/campaign/number_ranges.hpp"
#include "sim/campaign/tally.hpp"
#include "sim/campaign/trouble.hpp"
#include "sim/machine/phy.hpp"
#include "sim/plugin/rtl_parameters.hpp"

namespace ht::campaign {

/// What a machine's campaign is asked for.
struct ScenarioOptions {
  std::vector<int> shape{2};
  std::uint64_t seed = 1;
  unsigned forged_every = 50;     ///< every Nth run has damage the link cannot see; 0: none
  bool ignore_checksums = false;  ///< as if links kept none: what only they notice is a finding
  std::vector<Trouble> troubles;  ///< to draw from; empty: what the link is made to detect
  /// Traffic on all cables at once, some 300 us of it, and errors as long as it lasts.
  bool soak = false;
  /// Of what is drawn for the run, only these errors and messages; nothing: all of them.
  std::optional<NumberRanges> keep;
  /// Lanes between links and cables, which then carry bits; nothing: the links' own line code.
  std::optional<machine::Phy> phy;
  machine::RtlValues set;  ///< what the machine's hardware was built with, where not as usual
  /// Else all cables are as long, memory is fast, registers zero, nothing happens to nodes, and the
  /// traffic is messages alone.
  bool draw_world = true;
  /// Set from outside: the run that is under way throws RunStopped.
  const std::atomic<bool>* stop = nullptr;

  /// Each run has a bit that flips where no code is, and no other faults.
  bool upsets() const { return troubles == std::vector{Trouble::Upsets}; }
};

/// The environment of one run's machine, drawn like its traffic and its faults.
struct World {
  Picoseconds cable_delay = 0;          ///< of the shortest cable
  Picoseconds cable_spread = 0;         ///< each is longer by up to this
  bool random_state = false;            ///< registers, memories and synchronisers
  Picoseconds memory_latency = 20'000;  ///< of an access
  Picoseconds memory_spread = 0;
  std::uint32_t memory_stalls = 0;  ///< back-pressure of memory: this many of 256 pieces of time

  Picoseconds longest_cable() const { return cable_delay + cable_spread; }
  /// "cables of 40 to 340 ns, memory of 20 to 800 ns, memory stalled 12 of 256, random state".
  std::string describe() const;
};

/// No cable is shorter, none longer.
constexpr Picoseconds shortest_cable = 10'000, longest_cable = 1'000'000;

/// The environment of run `run`, whose machine drew `usual`. Half the runs keep its cables, the
/// others have some of 10 ns to 1 us, the longest that the machines are made for; in half of all
/// runs each cable has a length of its own. Accesses to memory take 20 ns in a third of the runs,
/// else 20 to 1,000 ns. No cable is longer than `longest`, which takes as much.
World draw_world(const ScenarioOptions& options, std::uint64_t run, const World& usual,
                 Picoseconds longest = longest_cable);
/// Over lanes links come up so much later: those train first, three sets at least, and say so to
/// each other. 0 over wires. `word`: its time on the line.
Picoseconds lanes_up(const ScenarioOptions& options, Picoseconds word);
/// What lanes add to a cable, one way, at the most; 0 over wires.
Picoseconds lanes_delay(const ScenarioOptions& options, Picoseconds word);

/// Something that happens to a node besides its traffic. Times as those of the machine's messages.
struct NodeEvent {
  int node = 0;
  Picoseconds at = 0;
  Picoseconds halt = 0;    ///< its processor does nothing for that long; 0: a bit flips instead
  std::uint64_t flip = 0;  ///< which one, drawn: a seed
  bool upset = false;      ///< one that no code need protect

  std::string describe() const;
};

/// What is drawn for one run, whatever machine it is.
struct Scenario {
  World world;
  std::vector<NodeEvent> events;
  std::vector<sim::FaultPlan> faults;  ///< by sender's number * links + link
  std::vector<Trouble> troubles;       ///< drawn
  Drawn drawn;                         ///< before any were taken away
  bool reduced = false;                ///< some may have been (ScenarioOptions::keep)
  int forged_cable = -1;               ///< number, or -1
  bool ignore_checksums = false;       ///< as asked for
  bool soak = false;                   ///< likewise
  Picoseconds quiet = 0;               ///< from then on nothing goes wrong any more
};

/// Traffic of a soak run lasts about so long where nothing goes wrong.
constexpr Picoseconds soak_span = 300'000'000;
/// Times that troubles are drawn for a run.
constexpr int rounds_of_trouble(const ScenarioOptions& options) {
  return options.soak ? 12 : 1;
}

/// What a run's faults are drawn from: what was asked for, else `usual`, of which over lanes those
/// are left out that look for words, and nodes that stop.
std::vector<Trouble> trouble_choice(const ScenarioOptions& options, std::vector<Trouble> usual);

/// A run in which nothing has happened for so long is given up by the kernel.
constexpr Picoseconds run_watchdog = 300'000'000;

/// Options of a machine for run `run`, of any kind; its shape is the caller's to set.
template <class MachineOptions>
MachineOptions machine_options(const ScenarioOptions& o, const Scenario& s, std::uint64_t run) {
  MachineOptions m;
  m.random_phases = true;
  m.random_state = s.world.random_state;
  m.cable_delay = s.world.cable_delay;
  m.cable_spread = s.world.cable_spread;
  if constexpr (requires { m.node.memory_latency; }) {
    m.node.memory_latency = s.world.memory_latency;
    m.node.memory_spread = s.world.memory_spread;
  }
  if constexpr (requires { m.node.memory_stalls; }) m.node.memory_stalls = s.world.memory_stalls;
  m.faults = s.faults;
  if constexpr (requires { m.phy; }) m.phy = o.phy;
  if constexpr (requires { m.node.skip_idle; }) {
    if (o.upsets()) m.node.skip_idle = false;  // what is at rest need not be, afterwards
  }
  m.seed = o.seed * 0x9e3779b97f4a7c15U + run;
  m.kernel.threads = 1;
  m.kernel.watchdog = run_watchdog;
  return m;
}

}  // namespace ht::campaign
