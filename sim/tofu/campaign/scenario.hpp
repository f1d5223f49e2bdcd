// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sim/campaign/scenario.hpp"
#include "sim/tofu/campaign/remote.hpp"
#include "sw/tofu/gates/barrier_interface.hpp"
#include "sw/tofu/gates/barrier_pattern.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::campaign {

/// What a node gives to an operation.
enum class TofuForm : std::uint8_t { None, Word, Double, State };

struct TofuContribution {
  TofuForm form = TofuForm::None;
  Picoseconds start = 0;     ///< not before; nor before its channel's last one has ended
  std::uint64_t word = 0;    ///< or a double's bits
  tofu::StateBytes state{};  ///< 40 bytes of a broadcast, or a sum's state
};

/// One operation of a channel.
struct TofuOperation {
  tofu::GateOperation operation = tofu::GateOperation::Barrier;
  std::vector<TofuContribution> of;  ///< by rank
  bool empty = true;                 ///< no node gives anything
  tofu::StateBytes result{};         ///< exact; all 0 if there is none
};

/// A channel that all nodes take part in.
struct TofuChannel {
  int channel = 0, first_gate = 0;
  std::uint8_t group = 0;
  tofu::Algorithm algorithm = tofu::Algorithm::RecursiveDoubling;
  std::vector<int> nodes;  ///< of each rank: all nodes, in any order
  std::vector<TofuOperation> operations;
};

/// All that is drawn for one run.
struct TofuScenario : Scenario {
  std::vector<TofuChannel> channels;
  TofuRemoteTraffic remote;  ///< beside the channels, in two thirds of the runs without forgery
  /// Of gates, that each cable is to carry, by the model of the routes.
  std::vector<std::uint32_t> packets;
  /// By then a cable is plugged in again that was unplugged so long that its links went down; 0:
  /// none was.
  Picoseconds put_back = 0;
  static constexpr Picoseconds unplugged_for = 180'000'000;
};

/// Six axes, those that are not named of length 1; X, Y, Z are rings. Throws UsageError for a shape
/// the hardware does not have.
tofu::Shape tofu_shape(const std::vector<int>& shape);

TofuScenario draw_tofu_scenario(const ScenarioOptions& options, std::uint64_t run);

/// Damage to the payload of a packet that its CRC does not show: a bit of its first beat of
/// payload, and in the next what makes up for it. Packets of barriers have no payload.
sim::FaultPlan::Forced forged_gate_packet(std::uint64_t frame, unsigned bit);

}  // namespace ht::campaign
