// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/campaign/scenario.hpp"
#include "sim/machine/state_bits.hpp"
#include "sw/host/hardware_port.hpp"
#include "sw/host/soft_errors.hpp"

namespace ht::campaign {

/// Draws what happens to the nodes of run `run`, between 0 and `span` as the machine counts: in
/// half of the runs processors that stand still; with `flips` in a third of them bits that flip in
/// the protected memories of nodes' network hardware. Nothing without options.draw_world. A run of
/// upsets has one, and nothing else.
std::vector<NodeEvent> draw_node_events(const ScenarioOptions& options, std::uint64_t run,
                                        int nodes, Picoseconds span, bool flips);

/// Those of nodes that stop, whose machine counts the time of its traffic from `from`.
void add_stops(const TroubleDraw& faults, Picoseconds from, std::vector<NodeEvent>& events);

/// What happens to one node, and what its hardware says of it at the end. On the node's fibre.
class NodeEvents {
 public:
  NodeEvents(const Scenario& scenario, int node);

  /// The node's hardware has memories whose bits can flip; before the first happen().
  void protect(std::unique_ptr<host::SoftErrorSite> site) { site_ = std::move(site); }
  /// Does what is due at `now`.
  void happen(host::HardwarePort& port, Picoseconds now);
  /// After everything: what was corrected, and what stands still although nothing flipped twice.
  void account();

  std::uint64_t halts() const { return halts_; }
  const host::SoftErrorTotals& flips() const { return flips_; }
  /// The bit that flipped where no code is; its name is empty if none did.
  const machine::StateBits::Flipped& upset() const { return upset_; }
  /// Empty: nothing.
  const std::string& complaint() const { return complaint_; }

 private:
  std::vector<const NodeEvent*> due_;  ///< the earliest last
  std::unique_ptr<host::SoftErrorSite> site_;
  std::uint64_t halts_ = 0;
  host::SoftErrorTotals flips_;
  machine::StateBits::Flipped upset_;
  std::string complaint_;
};

}  // namespace ht::campaign
