// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/cable/cable.hpp"
#include "sim/machine/frame.hpp"
#include "verif/model/common/word.hpp"

namespace ht::machine {

/// A frame of words of four bytes.
struct WordFrame : Frame<model::Word> {
  /// Data of all words, in the order they are on the line; then their control bits, a byte each.
  static void store(std::vector<std::uint8_t>& out, const std::vector<model::Word>& words) {
    for (const model::Word& w : words) {
      for (unsigned lane = 0; lane < 4; ++lane) out.push_back(w.lane(lane));
    }
    for (const model::Word& w : words) out.push_back(w.control);
  }
  /// What is damaged, for people: "3 words changed, 1 word lost"; empty if nothing is.
  std::string damage() const { return damage_of("word"); }
};

/// Cuts what goes over one direction of a cable into frames, of machines whose frames begin with a
/// symbol that says how long they are. Frame derives from machine::Frame and has
///   static std::size_t length(const Symbol&);   symbols of the frame that begins so; 0: none does
/// Symbol{} is the idle symbol.
template <class FrameType>
class FrameCutter final : public sim::CableTap<typename FrameType::Symbol> {
 public:
  using Frame = FrameType;
  using Symbol = typename Frame::Symbol;

  explicit FrameCutter(const sim::Clock& sender) : sender_(sender) {}

  void carried(std::int64_t slot, const Symbol& sent, const Symbol* received) override {
    if (sent != Symbol{}) {
      if (const std::size_t length = Frame::length(sent); length != 0) {
        cut();
        frame_.time = sender_.edge(slot);
        symbols_ = length;
      }
      if (symbols_ == 0) return;  // no sender sends symbols outside of a frame
      frame_.sent.push_back(sent);
    } else if (symbols_ == 0) {
      return;  // a damaged idle symbol between frames belongs to none
    }
    if (received == nullptr) {
      ++frame_.lost;
    } else {
      if (*received != sent) ++frame_.changed;
      if (*received != Symbol{}) frame_.arrived.push_back(*received);
    }
    if (frame_.sent.size() >= symbols_) close();
  }

  void inserted(std::int64_t /*slot*/, const Symbol& received) override {
    // A copy follows its original: it belongs to that one's frame, which may just have ended.
    Frame* frame = symbols_ > 0 ? &frame_ : complete_.empty() ? nullptr : &complete_.back();
    if (frame == nullptr) return;
    ++frame->inserted;
    if (received != Symbol{}) frame->arrived.push_back(received);
  }

  /// Frames that are complete, oldest first; the caller takes them away.
  std::deque<Frame>& complete() { return complete_; }
  const std::deque<Frame>& complete() const { return complete_; }
  /// Begin of the frame that is not complete, or nothing.
  std::optional<Picoseconds> open_since(Picoseconds /*now*/ = 0) const {
    if (symbols_ == 0) return std::nullopt;
    return frame_.time;
  }
  /// Takes what there is of an open frame for all of it.
  void cut() {
    if (symbols_ == 0) return;
    frame_.cut_short = true;
    close();
  }

 private:
  void close() {
    complete_.push_back(std::move(frame_));
    frame_ = {};
    symbols_ = 0;
  }

  sim::Clock sender_;
  std::deque<Frame> complete_;
  Frame frame_;
  std::size_t symbols_ = 0;  ///< of the frame; 0 outside of one
};

}  // namespace ht::machine
