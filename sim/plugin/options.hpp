// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/cable_errors.hpp"
#include "sim/machine/losses.hpp"
#include "sim/machine/phy.hpp"
#include "sim/plugin/error_options.hpp"
#include "sim/plugin/rtl_parameters.hpp"
#include "sw/host/noisy_port.hpp"
#include "sw/host/soft_errors.hpp"
#include "sw/host/time.hpp"

namespace ht::machine {

class MachineDescription;

/// An option that only some machines have. Two machines may have options of one name.
struct OwnOption {
  enum class Kind { Flag, Text, List };  ///< List: may be repeated, one value each
  std::string name;                      ///< "--fold"
  std::string help;                      ///< the machine's name first: "NAME: ..."
  Kind kind = Kind::Text;
  std::string group = "Machine";  ///< heading in --help
  bool hardware = false;          ///< of no effect on the functional network
};

/// What was given of those options, by name; a flag's value is empty.
class OwnArguments {
 public:
  void give(const std::string& option, std::string value) {
    given_[option].push_back(std::move(value));
  }
  bool has(const std::string& option) const { return given_.count(option) > 0; }
  /// The value, or `otherwise` if the option was not given.
  std::string text(const std::string& option, const std::string& otherwise = {}) const {
    const auto it = given_.find(option);
    return it == given_.end() ? otherwise : it->second.back();
  }
  std::vector<std::string> list(const std::string& option) const {
    const auto it = given_.find(option);
    return it == given_.end() ? std::vector<std::string>{} : it->second;
  }
  const std::map<std::string, std::vector<std::string>>& all() const { return given_; }

 private:
  std::map<std::string, std::vector<std::string>> given_;
};

/// What is between links and cables, as text. What is empty has a default.
struct PhyArguments {
  std::string phy = "wires";
  std::string lanes, ppm, skew, jitter, drift;
};

/// What the machine is asked to be, as text: options that several commands share. What is empty
/// has a default that depends on the machine.
struct MachineArguments {
  std::string machine_kind;  ///< empty: the first
  std::string nodes;
  std::string machine;
  std::string network = "rtl";
  ErrorArguments errors;
  std::uint64_t seed = 1;
  int threads = 0;
  bool no_skip = false;
  bool random_phases = false;
  bool random_state = false;
  std::string cable_delay;
  std::string cable_spread = "0ns";
  std::string memory_latency;
  std::string memory_spread = "0ns";
  PhyArguments phy;
  std::string partition;
  std::string noise;
  std::string timeout = "1ms";
  std::string processor_timeout;  ///< empty: by the number of nodes
  std::string stop_at;            ///< empty: never
  std::vector<std::string> kill, cut;
  std::string soft_errors;
  std::vector<std::string> set;  ///< parameters of the hardware, NAME=VALUE
  OwnArguments own;
};

/// What a machine made of the options of its own; only it knows what is inside.
class OwnSettings {
 public:
  virtual ~OwnSettings() = default;
};

/// The arguments, read and checked. Times in ps.
struct MachineOptions {
  const MachineDescription* type = nullptr;
  std::vector<int> nodes;    ///< grid the application sees; empty: the machine's own
  std::vector<int> machine;  ///< the physical one
  bool rtl = true;           ///< false: the functional network, no hardware
  RtlValues set;             ///< parameters of the hardware that were given
  std::string far;         ///< what the last node's hardware is in place of Verilog; see variant()
  std::optional<Phy> phy;  ///< lanes between links and cables
  CableErrors errors;
  std::uint64_t seed = 1;
  int threads = 1;
  bool skip_idle = true;
  bool random_phases = false;
  bool random_state = false;
  Picoseconds cable_delay = 0;
  Picoseconds cable_spread = 0;
  Picoseconds memory_latency = 0;  ///< of an access; 0: memory is not modelled
  Picoseconds memory_spread = 0;
  Losses losses;  ///< what stops permanently, in order of time
  host::SoftErrors soft_errors;
  std::string partition;       ///< as it was asked for
  int partitions = 1;          ///< jobs side by side
  std::vector<int> job_nodes;  ///< node grid that each of them sees
  /// Operating systems that interrupt the nodes' programs.
  std::optional<host::OsNoise> noise;
  Picoseconds stop_at = std::numeric_limits<Picoseconds>::max();  ///< end there, as things are
  Picoseconds timeout = 0;
  double processor_timeout = 0;            ///< seconds; 0: none
  std::shared_ptr<const OwnSettings> own;  ///< null: the machine's defaults
};

}  // namespace ht::machine
