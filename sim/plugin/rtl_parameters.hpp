// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace ht::machine {

class MachineDescription;

/// A parameter of a machine's Verilog that --set takes (rtl/parameters.py makes tables of them).
struct RtlParameter {
  const char* name;
  long usual;                ///< what the machine is built with otherwise
  std::vector<long> values;  ///< what it may be; empty: `least` to `most` in steps of `step`
  long least, most, step;
  const char* help;

  bool takes(long value) const;
  /// "4, 8, 16 or 32", "16 to 768 in steps of 4".
  std::string choice() const;
};
using RtlParameters = std::vector<RtlParameter>;

/// The one that --phy sets: a machine whose Verilog is another one with lanes has it.
constexpr const char* lanes_parameter = "LANES";

/// Values of them, by name.
using RtlValues = std::map<std::string, long>;

/// Reads "TX_PACKETS=32" of --set for the machine. Throws UsageError for what is no parameter of
/// its, with the nearest one, or given twice; RefusedError for a value that its hardware cannot
/// have.
RtlValues parse_rtl_values(const MachineDescription& machine,
                           const std::vector<std::string>& words);

/// Those that differ from what the machine is built with.
RtlValues unusual(const MachineDescription& machine, const RtlValues& values);

/// The value of the parameter of that name, which must be one of `parameters`.
inline long value_of(const RtlParameters& parameters, const RtlValues& values,
                     const std::string& name) {
  const auto it = values.find(name);
  return it != values.end() ? it->second
                            : std::ranges::find(parameters, name, &RtlParameter::name)->usual;
}

/// "TX_PACKETS=32 RX_SLOTS=4".
std::string to_string(const RtlValues& values);

}  // namespace ht::machine
