// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "sim/machine/qpace_machine.hpp"
#include "sw/host/time.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

class Ranks;

/// What the machine is asked to be, as text: options that several commands share.
struct MachineArguments {
  std::string machine_kind = "qpace";
  std::string nodes = "2x2x2";
  std::string machine;
  std::string network = "rtl";
  double ber = 1e-6;
  int bursts = 1;
  int burst_bits = 32;
  int lost = 0, doubled = 0, stuck = 0, pulled = 0, forged = 0;
  std::string error_span = "500us";
  std::uint64_t seed = 1;
  int threads = 0;
  bool no_skip = false;
  bool random_phases = false;
  std::string cable_delay = "250ns";
  std::string core_clock = "208";
  std::string partition;
  std::string barrier = "tree";
  std::string timeout = "1ms";
};

/// The same, read and checked. Times in ps.
struct MachineOptions {
  std::string machine_kind;
  std::vector<int> nodes;    ///< grid the application sees
  std::vector<int> machine;  ///< the physical one
  bool rtl = true;           ///< false: the functional network, no hardware
  double ber = 0;
  int bursts = 0, burst_bits = 0, lost = 0, doubled = 0, stuck = 0, pulled = 0, forged = 0;
  Picoseconds error_span = 0;
  std::uint64_t seed = 1;
  int threads = 1;
  bool skip_idle = true;
  bool random_phases = false;
  Picoseconds cable_delay = 0;
  Picoseconds core_period = 0;
  int split_axis = -1;       ///< --partition: the axis that is split in two halves; -1: none
  bool tree_barrier = true;  ///< barriers over the global signal tree; else over the torus
  Picoseconds timeout = 0;
};

// What `run` has of these options, in groups, to be stored in `arguments`.
void declare_machine_options(CLI::App& app, MachineArguments& arguments);
void declare_error_options(CLI::App& app, MachineArguments& arguments);
void declare_simulation_options(CLI::App& app, MachineArguments& arguments);

/// Reads and checks them for the subcommand `command`. Throws UsageError naming the option and the
/// remedy.
MachineOptions check_machine_options(const std::string& command, const MachineArguments& arguments);

/// `value`, if it is one of `choices`; else throws UsageError listing them.
std::string choose(const char* option, const std::string& value,
                   std::initializer_list<const char*> choices);

/// The machine to build. `host_path` is what a message takes at both ends' processors together;
/// `stop` ends a run from outside.
machine::QpaceMachineOptions qpace_options(const MachineOptions& options, Picoseconds host_path,
                                           const Ranks& ranks, const std::atomic<bool>& stop);

}  // namespace ht::cli
