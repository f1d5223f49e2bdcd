// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <bit>
#include <cstdint>

namespace ht::machine {

/// Which of up to 32 links of a unit are at rest, so that the simulator need not evaluate them: the
/// unit has nothing for them, and their wires repeat a byte. Bit i of a mask: link i.
///
/// A link at rest returns to its state after a byte. It is left alone from the beginning of a byte
/// on; when something comes, what it missed are whole bytes, and the `behind()` edges since the
/// last one began, which it has to be given.
class RestingLinks {
 public:
  std::uint32_t mask() const { return resting_; }

  /// Of the links at rest, those that something has come for before the next edge: `moved` on the
  /// wire or from software, or the unit does not say `rests` of them. They rest no longer. What
  /// software does may show only with the next byte, so those that are awake stay so, too.
  std::uint32_t wake(std::uint32_t moved, std::uint32_t rests) {
    const std::uint32_t woken = resting_ & (moved | ~rests);
    resting_ &= ~woken;
    moved_ |= moved | woken;
    return woken;
  }

  /// After an edge: `moved` and `rests` as for wake(); `place`: edges since a byte began.
  void edge(std::uint32_t moved, std::uint32_t rests, int place) {
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

  /// Edges that a link that rested has missed of this byte.
  int behind() const { return place_; }

  /// Edges of links that were left out, and perhaps made up for in part.
  std::uint64_t left_out() const { return left_out_; }

  /// Wakes all; those that rested. None does for the next four bytes.
  std::uint32_t stop() {
    moved_ = before_[0] = before_[1] = before_[2] = ~0U;
    const std::uint32_t woken = resting_;
    resting_ = 0;
    return woken;
  }

 private:
  std::uint32_t resting_ = 0;
  std::uint32_t moved_ = ~0U;                  ///< in this byte
  std::uint32_t before_[3] = {~0U, ~0U, ~0U};  ///< in those before it
  int place_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace ht::machine
