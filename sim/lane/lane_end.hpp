// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>

#include "sim/lane/lane_cable.hpp"

namespace ht::sim::lanes {

/// The lanes at one end of a cable: a Verilated lane_bundle between a link and both directions of
/// its cable. Runs in the node's thread, which clocks it at every edge of the link's clock.
class LaneEnd {
 public:
  /// Both cables, of one shape, outlive it. `state` as make_bundle() has it.
  LaneEnd(LaneCable& out, LaneCable& in, std::optional<std::uint32_t> state);

  /// What the lanes hand to the link at an edge.
  struct ToLink {
    Word word;
    bool strobe = false;  ///< a word comes with it
    bool pause = false;   ///< tx_pause
  };
  /// Before edge number `edge` of the link's clock, at `now`: what the link has on its inputs at
  /// it.
  ToLink receive(std::int64_t edge, Picoseconds now);
  /// Then the edge, at which the lanes take what the link has on its outputs before it, if `en`;
  /// `reset`: the link's own reset.
  void send(std::int64_t edge, Picoseconds now, const Word& sent, bool reset, bool en = true);
  /// Both, for a link whose outputs do not depend on what it has on its inputs.
  ToLink clock(std::int64_t edge, Picoseconds now, const Word& sent, bool reset) {
    const ToLink to_link = receive(edge, now);
    send(edge, now, sent, reset);
    return to_link;
  }

  /// What the link's observation port said of the word at edge `edge`, seen at `now`.
  void observe(std::int64_t edge, Picoseconds now, const Observation& seen) {
    in_.account().observe(edge, now, seen);
  }

  LaneCable& out() { return out_; }
  LaneCable& in() { return in_; }
  bool up() const { return seen_.up; }

 private:
  void receive_lanes(Picoseconds now);

  LaneCable& out_;
  LaneCable& in_;
  std::unique_ptr<Bundle> bundle_;
  BundleInputs inputs_;
  BundleOutputs seen_;
};

}  // namespace ht::sim::lanes
