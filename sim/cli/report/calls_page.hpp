// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "sw/host/time.hpp"
#include "sw/qmp/call_profile.hpp"

namespace ht::cli {

/// Tables of the calls of the network by function and by node, and the matrix of messages; nothing
/// without `nodes`. `machine_time` of the run in ps.
std::string calls_sections(std::span<const qmp::CallProfile> nodes, Picoseconds machine_time);

/// Bytes from every node (row) to every other (column) as an SVG document, darker for more. Empty
/// without messages.
std::string message_matrix(std::span<const qmp::CallProfile> nodes);

/// The page of `exec --report`: `document` is what its --json has. Beside FILE.html the matrix as
/// FILE.messages.svg, if there were messages. Throws DataError.
void write_calls_page(const nlohmann::ordered_json& document,
                      std::span<const qmp::CallProfile> nodes, const std::string& file);

}  // namespace ht::cli
