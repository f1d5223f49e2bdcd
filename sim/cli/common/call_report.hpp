// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "sw/host/time.hpp"
#include "sw/qmp/call_profile.hpp"

namespace ht::cli {

/// What `--profile-calls` is, for help texts.
constexpr const char* profile_calls_help =
    "time in calls of the network by call and by node, messages and bytes by pair of nodes";

/// A function of the network, over all nodes: calls, and simulated time from call to return (ps).
struct CallRow {
  std::string name;
  std::uint64_t count = 0;
  Picoseconds time = 0, least = 0, most = 0;  ///< of all nodes together; of one node
  int least_node = 0, most_node = 0;
};

/// Messages from one node to another.
struct PairRow {
  int from = 0, to = 0;
  std::uint64_t messages = 0, bytes = 0;
};

/// `nodes` by rank. The longest time first; equal ones by name.
std::vector<CallRow> rows_by_call(std::span<const qmp::CallProfile> nodes);
/// By sender, then receiver.
std::vector<PairRow> rows_by_pair(std::span<const qmp::CallProfile> nodes);

/// Three tables: calls, nodes (at most 64 of them), pairs (the 32 with the most bytes).
/// `machine_time` of the run in ps.
void print_calls(std::FILE* file, std::span<const qmp::CallProfile> nodes,
                 Picoseconds machine_time);

/// All of it: {"calls": [{node, call, count, time_ps}], "messages": [{from, to, messages, bytes}]}.
nlohmann::ordered_json calls_json(std::span<const qmp::CallProfile> nodes);

}  // namespace ht::cli
