// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/frame.hpp"
#include "sim/qpace/cable.hpp"

namespace ht::machine {

/// A packet, hello or command as it was put on a QPACE cable, and what arrived of it.
struct CableFrame : Frame<model::Word> {
  /// The receiver takes a damaged frame for a good one of the same length and kind.
  bool unseen() const;
  /// Data of all words, in the order they are on the line; then their control bits, a byte each.
  static void store(std::vector<std::uint8_t>& out, const std::vector<model::Word>& words);
  /// What is damaged, for people: "3 words changed, 1 word lost"; empty if nothing is.
  std::string damage() const { return damage_of("word"); }
};

/// Cuts what goes over one direction of a QPACE cable into frames.
class CableFrames final : public sim::CableTap<model::Word> {
 public:
  explicit CableFrames(const sim::Clock& sender) : sender_(sender) {}

  void carried(std::int64_t slot, const model::Word& sent, const model::Word* received) override;
  void inserted(std::int64_t slot, const model::Word& received) override;

  /// Frames that are complete, oldest first; the caller takes them away.
  std::deque<CableFrame>& complete() { return complete_; }
  const std::deque<CableFrame>& complete() const { return complete_; }
  /// Begin of the frame that is not complete, or nothing.
  std::optional<Picoseconds> open_since(Picoseconds now = 0) const;
  /// Takes what there is of an open frame for all of it.
  void cut();

 private:
  void arrive(const model::Word& word);

  sim::Clock sender_;
  std::deque<CableFrame> complete_;
  CableFrame frame_;
  std::size_t words_ = 0;  ///< of the frame, by its kind; 0 outside of one
};

}  // namespace ht::machine
