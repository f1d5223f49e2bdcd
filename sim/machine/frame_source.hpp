// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/kernel/clock.hpp"
#include "sim/lane/lane_cable.hpp"
#include "sw/host/time.hpp"

namespace ht::machine {

/// A frame on a cable as a capture stores it.
struct CapturedFrame {
  Picoseconds time = 0;               ///< when the sender put its first symbol on the line
  std::size_t sent = 0, arrived = 0;  ///< words or bytes; arrived: 0 if all is as sent
  std::vector<std::uint8_t> data;     ///< those, laid out as in sim/machine/README.md
  Picoseconds length = 0;             ///< on the line, without idle symbols in between
  bool carries_data = false;          ///< packet or word of data, which links count
  bool given_up = false;              ///< its sender did not end it well
  /// Only what was sent is known: the cable carries bits, and words take any time through lanes.
  bool arrival_unknown = false;
  bool damaged = false;
  bool unseen = false;     ///< damaged, and the receiver's check does not see it
  bool cut_short = false;  ///< the sender gave it up before its end
  std::string damage;      ///< for people; empty if it is not damaged
};

/// Hears one direction of a cable and cuts it into frames. Stops listening when it goes.
class FrameSource {
 public:
  virtual ~FrameSource() = default;
  /// Number of the wire format, in a record's pseudo-header.
  virtual std::uint8_t format() const = 0;
  /// Time of the oldest frame that is complete, or nothing.
  virtual std::optional<Picoseconds> next() const = 0;
  /// That frame, which is then gone.
  virtual CapturedFrame take() = 0;
  /// When the frame began that is not complete, of what was sent before `now`, a window's end; or
  /// nothing.
  virtual std::optional<Picoseconds> open_since(Picoseconds now) = 0;
  /// Takes what there is of an open frame for all of it.
  virtual void cut() = 0;
};

/// Frames as `Frames` cuts them: a tap of a cable; what it collects are frames as in
/// sim/machine/frame.hpp whose store() lays symbols out as the capture has them, and whose
/// carries_data() says whether it is what the machine's links count (packets, words).
template <class Frames>
class CutFrames : public FrameSource {
 public:
  std::uint8_t format() const override { return format_; }
  std::optional<Picoseconds> next() const override {
    if (frames_.complete().empty()) return std::nullopt;
    return frames_.complete().front().time;
  }
  CapturedFrame take() override {
    const auto& frame = frames_.complete().front();
    CapturedFrame f;
    f.time = frame.time;
    f.sent = frame.sent.size();
    f.length = sender_.cycles(static_cast<std::int64_t>(f.sent) * Frames::Frame::symbol_edges);
    f.carries_data = frame.carries_data();
    f.given_up = frame.given_up();
    f.arrival_unknown = arrival_unknown_;
    f.damaged = frame.damaged();
    f.unseen = frame.unseen();
    f.cut_short = frame.cut_short;
    frame.store(f.data, frame.sent);
    if (f.damaged) {
      f.arrived = frame.arrived.size();
      frame.store(f.data, frame.arrived);
      f.damage = frame.damage();
    }
    frames_.complete().pop_front();
    return f;
  }
  std::optional<Picoseconds> open_since(Picoseconds now) override {
    return frames_.open_since(now);
  }
  void cut() override { frames_.cut(); }

 protected:
  /// `format`: the number of the wire format.
  CutFrames(const sim::Clock& sender, std::uint8_t format, bool arrival_unknown)
      : frames_(sender), sender_(sender), format_(format), arrival_unknown_(arrival_unknown) {}

  Frames frames_;

 private:
  sim::Clock sender_;
  std::uint8_t format_;
  bool arrival_unknown_;
};

/// Those that a cable of words carries, which it listens to.
template <class Cable, class Frames>
class CableFrameSource final : public CutFrames<Frames> {
 public:
  CableFrameSource(Cable& cable, std::uint8_t format)
      : CutFrames<Frames>(cable.options().sender, format, false), cable_(cable) {
    cable.listen(&this->frames_);
  }
  ~CableFrameSource() override { cable_.listen(nullptr); }

 private:
  Cable& cable_;
};

/// Those that a link hands to its lanes. Words, a tap of lanes, makes symbols of words for Frames;
/// `more` is for it.
template <class Frames, class Words>
class LaneFrameSource final : public CutFrames<Frames> {
 public:
  template <class... More>
  LaneFrameSource(sim::lanes::LaneCable& cable, std::uint8_t format, More... more)
      : CutFrames<Frames>(cable.options().sender, format, true),
        cable_(cable),
        words_(this->frames_, more...) {
    cable.listen(&words_);
  }
  ~LaneFrameSource() override { cable_.listen(nullptr); }

 private:
  sim::lanes::LaneCable& cable_;
  Words words_;
};

}  // namespace ht::machine
