// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sim/plugin/description.hpp"
#include "sim/plugin/options.hpp"

namespace CLI {
class App;
}

namespace ht::cli {

/// --phy, --lanes, --ppm, --lane-skew, --lane-jitter, --lane-drift.
void declare_phy_options(CLI::App& app, machine::PhyArguments& arguments, const char* group);

/// Reads and checks them for that machine; nothing: wires. `set`: the values of its Verilog's
/// parameters, to which what lanes need is added. Throws UsageError.
std::optional<machine::Phy> check_phy_options(const machine::PhyArguments& arguments,
                                              const machine::MachineDescription& type,
                                              machine::RtlValues& set);

/// Those that were given, as they are written on a command line: " --phy lanes --lanes 2".
std::string phy_words(const machine::PhyArguments& arguments);

/// For results: "wires", or what lanes are like.
nlohmann::ordered_json phy_json(const std::optional<machine::Phy>& phy);

}  // namespace ht::cli
