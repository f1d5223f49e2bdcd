// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/frame.hpp"
#include "sim/tofu/cable.hpp"

namespace ht::machine {

/// A packet, hello or link control packet as it was put on a Tofu cable, and what arrived of it.
/// Control packets that ride in a packet's last beat are part of that; those that come between two
/// beats of a packet are frames of their own.
struct BeatFrame : Frame<model::Beat> {
  bool carries_data() const;
  bool given_up() const;  ///< nullified, too
  /// The receiver takes a damaged frame for a good one.
  bool unseen() const;
  /// Bytes of all beats, then two of control bits each, bit 0 first.
  static void store(std::vector<std::uint8_t>& out, const std::vector<model::Beat>& beats);
  /// What is damaged, for people: "3 beats changed, 1 beat lost"; empty if nothing is.
  std::string damage() const { return damage_of("beat"); }
};

/// Cuts what goes over one direction of a Tofu cable into frames.
class BeatFrames final : public sim::CableTap<model::Beat> {
 public:
  using Frame = BeatFrame;
  explicit BeatFrames(const sim::Clock& sender) : sender_(sender) {}

  void carried(std::int64_t slot, const model::Beat& sent, const model::Beat* received) override;
  void inserted(std::int64_t slot, const model::Beat& received) override;

  /// Frames that are complete, in order of time; the caller takes them away.
  std::deque<BeatFrame>& complete() { return complete_; }
  const std::deque<BeatFrame>& complete() const { return complete_; }
  /// Begin of the frame that is not complete, or nothing.
  std::optional<Picoseconds> open_since(Picoseconds now = 0) const;
  /// Takes what there is of an open frame for all of it.
  void cut();

 private:
  void end_packet();

  sim::Clock sender_;
  std::deque<BeatFrame> complete_;
  std::optional<BeatFrame> packet_;  ///< under way
  std::vector<BeatFrame> within_;    ///< control packets since it began
  bool last_within_ = false;         ///< what was carried last was one of those
};

}  // namespace ht::machine
