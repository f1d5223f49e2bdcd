// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/machine/machine.hpp"
#include "sim/plugin/options.hpp"
#include "sim/plugin/rtl_parameters.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/processor_model.hpp"
#include "sw/host/wilson_kernels.hpp"
#include "sw/net/tftp_server.hpp"
#include "sw/qmp/functional_torus.hpp"

namespace ht::machine {

/// What commands know of a machine without building one.
struct MachineTraits {
  const char* name;         ///< as in commands, and of its plug-in
  const char* title;        ///< as in texts
  std::size_t axes;         ///< at the most
  int links;                ///< of a node
  const char* every_cable;  ///< links that reach every cable once, as --pcap-links has them
  const char* nodes;        ///< default of --nodes
  double bit_error_rate;    ///< default of --ber
  int bursts;               ///< default of --bursts
  unsigned lanes;           ///< of a cable
  unsigned lane_bytes = 0;  ///< of a word that a link hands to its lanes; 0: it stands before none
  const char* cable_delay;  ///< default of --cable-delay
  /// Default of --memory-latency; empty: the machine models no memory behind its network.
  const char* memory_latency = "";
  Picoseconds least_delay;  ///< two symbols
  int wire_bits;            ///< of a link, one way, in a period of its clock; uncoded
  double node_gbytes = 0;   ///< memory of a node's processor, in 2^30 bytes; 0: any
  /// What a simulated node takes of this computer's memory, at most: `bench sim` measures it.
  std::size_t simulated_bytes = usual_node_bytes;
  const char* axes_help = "";       ///< what --machine takes, where that is not x first
  const char* partition_help = "";  ///< what --partition takes; empty: there are no partitions
  bool own_interface = false;       ///< programs call more than QMP, without hardware, too
};

/// What commands need of a machine that they build, besides the options.
struct BuildRequirements {
  Picoseconds host_path = 0;  ///< of a message, at both ends' processors together
  bool forwards = false;      ///< nodes pass on messages between those that are no neighbours
  bool kill_on_error = true;  ///< a program that fails ends the others of its partition by a kill
  net::FileSource ethernet_files;  ///< what a server on the nodes' Ethernet has; empty: none
  double ethernet_bit_error_rate = 0;
  sim::KernelOptions kernel;
};

/// A command line for --help.
struct Example {
  std::string command;    ///< the words after `hypertorus`: "run"
  std::string arguments;  ///< what follows them
  std::string what;
};

/// A choice of the machine's own, for reports: the key, and its value as JSON.
struct Setting {
  std::string key, json;
};

/// A machine's torus as it is drawn: axes in the order in which nodes are numbered.
struct FigureAxes {
  std::vector<int> lengths;
  std::vector<std::string> names;
  std::vector<LinkReport> links;  ///< number 2 a leads forwards along axis a, 2 a + 1 back
};

/// A benchmark of a machine, `hypertorus bench NAME`.
struct BenchTraits {
  std::string name;     ///< as in the command
  std::string help;     ///< a line
  std::string figures;  ///< that --plot draws: "STEM.transfer"; empty: none
  std::string quick;    ///< what --quick does; empty: there is none
  std::vector<OwnOption> options;
  bool hardware = true;  ///< it simulates hardware, and takes --set
};

/// What `hypertorus bench sim` measures of a machine.
struct SpeedTraits {
  bool own_links = false;  ///< links along axes of length 1 carry messages
  int reference = 1;       ///< nodes of the row "busy_hz": as few as have all links busy
  const char* takes = "powers of 2";
  /// Its shape for so many nodes, or nothing.
  std::vector<int> (*shape)(int nodes) = nullptr;
};

/// Everything that the rest of the program knows of a machine. One constant object each, in the
/// machine's plug-in.
class MachineDescription {
 public:
  virtual ~MachineDescription() = default;

  virtual const MachineTraits& traits() const = 0;
  std::string name() const { return traits().name; }
  std::string title() const { return traits().title; }
  /// "+x".
  virtual std::string link_name(int link) const;
  /// Number of the link of that name, or -1.
  int link_number(std::string_view name) const;

  /// What --set may change of its hardware; nothing: only what was built is there.
  virtual RtlParameters rtl_parameters() const { return {}; }

  /// Options that other machines need not have.
  virtual std::vector<OwnOption> own_options() const { return {}; }
  /// Reads --nodes, --machine, --partition and what it has of its own: fills in nodes, machine,
  /// partitions, job_nodes and own; `rtl` and the rest are there. Throws UsageError.
  virtual void check(const MachineArguments& arguments, MachineOptions& options) const = 0;
  /// What its own options were set to, defaults too.
  virtual std::vector<Setting> settings(const MachineOptions& options) const;
  /// Its clocks, for people: "312.5 MHz".
  virtual std::string clocks(const MachineOptions& options) const = 0;
  /// Whether the machine presents itself to the application as another torus.
  virtual bool folded(const MachineOptions& options) const {
    return options.machine != options.nodes;
  }

  /// For --help: every option of its own appears in at least one.
  virtual std::vector<Example> examples() const { return {}; }

  /// Builds it. Throws UsageError for what the machine cannot be.
  virtual std::unique_ptr<Machine> build(const MachineOptions& options,
                                         const BuildRequirements& requirements) const = 0;
  /// The machine without hardware, as user programs find it: with the interface that they
  /// call beside QMP, if the machine has one. `processor_timeout` as FunctionalOptions has it.
  virtual std::unique_ptr<qmp::FunctionalTorus> build_functional(const MachineOptions& options,
                                                                 double processor_timeout) const;
  /// The largest part of the machine in which nothing of `losses` is, with a grid of nodes that
  /// divides the lattice if the one before did: for going on after them. Throws UsageError if there
  /// is none. Unless the machine says otherwise: axes are halved, as partitions are.
  virtual MachineOptions without(const MachineOptions& options, const Losses& losses) const;
  /// A node's processor, with that part of a lattice on it.
  virtual std::unique_ptr<host::ProcessorModel> processor(
      const MachineOptions& options, const host::LocalLattice& local) const = 0;
  /// The host path of programs of one's own, whose computing nobody models.
  virtual Picoseconds program_host_path() const { return 0; }

  /// How nodes and links of a run are drawn.
  virtual FigureAxes figure_axes(const MachineOptions& options,
                                 const std::vector<LinkReport>& links) const;

  /// Whether nodes have a serial port or Ethernet for --console and --load ethernet.
  virtual bool has_console() const { return false; }
  virtual bool has_ethernet() const { return false; }

  virtual std::vector<BenchTraits> benches() const { return {}; }
  virtual SpeedTraits speed() const = 0;
  /// What `hypertorus inject MACHINE` does, a line; empty: there is no campaign.
  virtual std::string campaign() const { return {}; }
  /// Options of `hypertorus inject MACHINE` that only this machine has.
  virtual std::vector<OwnOption> campaign_options() const { return {}; }
};

/// Removes axes of length 1 at the end, but for the first.
std::vector<int> without_ones(std::vector<int> shape);

/// Axes as equal as may be of a machine of `axes` axes for a power of two of nodes; else nothing.
std::vector<int> equal_axes(int nodes, std::size_t axes);

/// The options that all machines share, made for every machine alike from its checked ones.
template <class Options>
Options common_options(const MachineOptions& o, const BuildRequirements& r) {
  Options m;
  m.node.skip_idle = o.skip_idle;
  m.random_phases = o.random_phases;
  m.random_state = o.random_state;
  m.cable_delay = o.cable_delay;
  m.cable_spread = o.cable_spread;
  if constexpr (requires { m.node.memory_latency; }) {
    m.node.memory_latency = o.memory_latency;
    m.node.memory_spread = o.memory_spread;
  }
  m.errors = o.errors;
  if constexpr (requires { m.phy; }) m.phy = o.phy;
  if constexpr (requires { m.losses; }) {
    m.losses = o.losses;
  } else if (!o.losses.empty()) {
    throw UsageError("--kill and --cut: this machine's software does not look for lost nodes");
  }
  if constexpr (requires { m.soft_errors; }) {
    m.soft_errors = o.soft_errors;
  } else if (o.soft_errors.rate > 0) {
    throw UsageError(
        "--soft-errors: no code protects the memories of this machine's network, so there is "
        "nothing to be tried; leave it out");
  }
  m.noise = o.noise;
  m.seed = o.seed;
  m.kernel = r.kernel;
  return m;
}

}  // namespace ht::machine
