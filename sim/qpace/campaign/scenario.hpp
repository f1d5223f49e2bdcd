// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/campaign/scenario.hpp"
#include "sim/qpace/machine.hpp"

namespace ht::campaign {

/// A message of a run. Times are after the links came up.
struct CampaignMessage {
  int from = 0, to = 0, link = 0;  ///< ranks; the sender's link
  int channel = 0;
  std::uint32_t packets = 1;
  Picoseconds send = 0;      ///< when the sender hands it over
  Picoseconds credit = 0;    ///< when the receiver is ready to give its credit
  std::uint32_t start = 0;   ///< first line in the receiving channel's region
  std::uint32_t remote = 0;  ///< part of `start` that comes with the packets; the rest is local
};

/// For a time, a node's memory takes nothing.
struct PortStall {
  int node = 0;
  Picoseconds at = 0, length = 0;
};

/// All that is drawn for one run.
struct QpaceScenario : Scenario {
  std::uint32_t ack_timeout = 0, busy_probe = 0;  ///< link cycles
  bool credits_checked = false;  ///< against memory and one another; then remote offsets are 0
  std::vector<CampaignMessage> messages;  ///< of each channel in order
  std::vector<PortStall> stalls;
  Picoseconds busy_until = 0;  ///< about when most of the traffic is over
};

QpaceScenario draw_qpace_scenario(const ScenarioOptions& options, std::uint64_t run);

}  // namespace ht::campaign
