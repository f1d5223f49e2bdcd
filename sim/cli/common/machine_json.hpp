// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json.hpp>

#include "sim/plugin/description.hpp"

namespace ht::cli {

/// Parameters of the hardware, by name.
nlohmann::ordered_json rtl_values_json(const machine::RtlValues& values);

/// Nodes and links that were lost, or are to be.
nlohmann::ordered_json losses_json(const machine::Losses& losses,
                                   const machine::MachineDescription& type);

/// Of the key "options" of results: what the machine is, and all that decides what happens on it
/// (docs/json.md). Times are in ps, rates per bit.
nlohmann::ordered_json machine_json(const machine::MachineOptions& options);

}  // namespace ht::cli
