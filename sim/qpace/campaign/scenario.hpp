// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/campaign/scenario.hpp"
#include "sim/qpace/machine.hpp"
#include "sw/net/packet.hpp"

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

/// An operation of all nodes on the global signal tree.
struct TreeVote {
  enum class Kind : std::uint8_t { Barrier, All, Any };
  Kind kind = Kind::Barrier;
  std::vector<Picoseconds> at;  ///< by node: not before
  std::vector<bool> of;         ///< by node
  bool result() const;
};

/// A disturbance of the tree's wires at one node, too short to be taken for a level.
struct TreeGlitch {
  int node = 0;
  bool up = false;  ///< from the node; else to it
  Picoseconds at = 0, length = 0;
  std::uint8_t level = 0;
};

/// A file that a node reads over its Ethernet, by TFTP.
struct FileRead {
  int node = 0;
  Picoseconds at = 0;
  std::uint32_t bytes = 0;
  std::uint64_t content = 0;  ///< what it is drawn from
};

/// What is in a file.
net::Bytes file_content(const FileRead& file);

/// All that is drawn for one run.
struct QpaceScenario : Scenario {
  std::uint32_t ack_timeout = 0, busy_probe = 0;  ///< link cycles
  bool credits_checked = false;  ///< against memory and one another; then remote offsets are 0
  std::vector<CampaignMessage> messages;  ///< of each channel in order
  std::vector<PortStall> stalls;
  std::vector<TreeVote> votes;       ///< in order
  std::vector<FileRead> files;       ///< named by their number
  double ethernet_bit_errors = 0;    ///< a bit of the five of a nibble
  std::vector<TreeGlitch> glitches;  ///< on wires of the tree
  /// By then a cable is plugged in again that was unplugged so long that both ends gave up; 0:
  /// none.
  Picoseconds put_back = 0;
  static constexpr Picoseconds unplugged_for = 250'000'000;
  Picoseconds busy_until = 0;  ///< about when most of the traffic is over
};

QpaceScenario draw_qpace_scenario(const ScenarioOptions& options, std::uint64_t run);

}  // namespace ht::campaign
