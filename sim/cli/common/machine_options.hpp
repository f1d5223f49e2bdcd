// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/common/machine_kind.hpp"
#include "sw/host/noisy_port.hpp"
#include "sw/host/time.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// What the machine is asked to be, as text: options that several commands share. What is empty
/// has a default that depends on the machine.
struct MachineArguments {
  std::string machine_kind = "qpace";
  std::string nodes;
  std::string machine;
  std::string network = "rtl";
  std::optional<double> ber;
  std::optional<int> bursts;
  int burst_bits = 32;
  int lost = 0, doubled = 0, stuck = 0, pulled = 0, forged = 0;
  std::string error_span = "500us";
  std::uint64_t seed = 1;
  int threads = 0;
  bool no_skip = false;
  bool random_phases = false;
  bool boot = false;
  std::string cable_delay;
  std::string core_clock;
  std::string fold;
  std::string partition;
  std::string barrier;
  std::vector<std::string> failed;
  bool io_nodes = false;
  std::string noise;
  std::string timeout = "1ms";
};

/// The same, read and checked. Times in ps.
struct MachineOptions {
  MachineKind kind = MachineKind::Qpace;
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
  bool boot = false;  ///< qcdoc: nodes find out where they are
  Picoseconds cable_delay = 0;
  Picoseconds core_period = 0;
  std::string fold;     ///< qcdoc: the machine's axes in each of the application's; empty: any
  std::string cuts;     ///< qcdoc: --partition
  int split_axis = -1;  ///< qpace: --partition: the axis split in two halves; -1: none
  int partitions = 1;   ///< jobs side by side
  std::vector<int> job_nodes;  ///< node grid that each of them sees
  bool tree_barrier = true;    ///< barriers over the global signal tree; else over the torus
  std::vector<ht::tofu::Coordinates> failed;  ///< tofu: nodes out of service
  bool io_nodes = false;                      ///< tofu: those with Z = 0 hold no rank
  /// Operating systems that interrupt the nodes' programs.
  std::optional<host::OsNoise> noise;
  Picoseconds timeout = 0;
};

// What `run` has of these options, in groups, to be stored in `arguments`.
void declare_machine_options(CLI::App& app, MachineArguments& arguments);
void declare_error_options(CLI::App& app, MachineArguments& arguments);
void declare_simulation_options(CLI::App& app, MachineArguments& arguments);

/// Reads and checks them for the subcommand `command`. Throws UsageError naming the option and the
/// remedy.
MachineOptions check_machine_options(const std::string& command, const MachineArguments& arguments);

}  // namespace ht::cli
