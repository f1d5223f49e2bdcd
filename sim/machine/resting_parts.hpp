// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

namespace ht::machine {

/// Which of up to 64 parts of a node's hardware are idle, so that the simulator need not evaluate
/// them: links whose wires repeat themselves and to which the rest of the node has nothing to say,
/// interfaces that nothing comes to. Bit i of a mask: part i.
///
/// A part at rest returns to its state after a period of eight edges. It is left alone from the
/// beginning of a period on; when something comes, what it missed are whole periods, and the
/// `behind()` edges since the last one began, which it has to be given if its state changes within
/// one. Parts that just stay as they are need none.
class RestingParts {
 public:
  std::uint64_t mask() const { return resting_; }

  /// Of the parts at rest, those that something has come for before the next edge: `moved` on the
  /// wire or from software, or the hardware does not say `rests` of them. They rest no longer. What
  /// software does may show only within the next period, so those that are awake stay so, too.
  std::uint64_t wake(std::uint64_t moved, std::uint64_t rests) {
    const std::uint64_t woken = resting_ & (moved | ~rests);
    resting_ &= ~woken;
    moved_ |= moved | woken;
    return woken;
  }

  /// After an edge: `moved` and `rests` as for wake(); `place`: edges since a period began.
  void edge(std::uint64_t moved, std::uint64_t rests, int place) {
    left_out_ += static_cast<std::uint64_t>(std::popcount(resting_));
    place_ = place;
    moved_ |= moved | ~rests;
    if (place != 0) return;
    resting_ |= ~(moved_ | before_[0] | before_[1] | before_[2]) & rests;
    before_[2] = before_[1];
    before_[1] = before_[0];
    before_[0] = moved_;
    moved_ = 0;
  }

  /// Edges that a part that rested has missed of this period.
  int behind() const { return place_; }

  /// Edges of parts that were left out, and perhaps made up for in part.
  std::uint64_t left_out() const { return left_out_; }

  /// Wakes all; those that rested. None does for the next four periods.
  std::uint64_t stop() {
    moved_ = before_[0] = before_[1] = before_[2] = ~std::uint64_t{0};
    const std::uint64_t woken = resting_;
    resting_ = 0;
    return woken;
  }

 private:
  std::uint64_t resting_ = 0;
  std::uint64_t moved_ = ~std::uint64_t{0};  ///< in this period
  std::uint64_t before_[3] = {~std::uint64_t{0}, ~std::uint64_t{0},
                              ~std::uint64_t{0}};  ///< in those before it
  int place_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace ht::machine
