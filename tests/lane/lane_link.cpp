// SPDX-License-Identifier: Apache-2.0
#include "tests/lane/lane_link.hpp"

#include <algorithm>
#include <array>

namespace ht::test {

Word LaneLink::random_word() {
  static constexpr std::array<std::uint8_t, 5> kControl{0x5c, 0x7c, 0x9c, 0xfb, 0xfd};
  Word word;
  for (unsigned i = 0; i < bytes_; ++i) {
    word.data[i] = static_cast<std::uint8_t>(random_());
    if (random_() % 16 == 0) {
      word.data[i] = kControl[random_() % kControl.size()];
      word.control |= 1U << i;
    } else if (bytes_ > 1 && random_() % 16 == 0) {
      word.data[i] = 0x07;  // one of a word's bytes is idle
      word.control |= 1U << i;
    }
  }
  return word == idle_word(bytes_) ? random_word() : word;
}

Word LaneLink::next(bool pause) {
  if (pause && !asked_) paused_ = true;
  asked_ = pause;
  if (left_ == 0 && gap_ == 0) {
    if (paused_ && options_.pauses) {
      gap_ = 2;
      paused_ = false;
      ++pauses_;
    } else {
      if (options_.idle > 0) {
        gap_ = static_cast<unsigned>(
            std::exponential_distribution<double>(1 / options_.idle)(random_));
      }
      left_ = 1 + static_cast<unsigned>(random_() % options_.longest);
      ++frames_;
    }
  }
  if (gap_ > 0) {
    --gap_;
    return idle_word(bytes_);
  }
  --left_;
  ++words_;
  return random_word();
}

void WordCheck::received(const Word& word) {
  if (!counts_ || word == idle_) return;
  // The damaged are those that were not sent; if one went missing, the next of those sent is this
  // one.
  const auto end = expected_.begin() + std::min<std::ptrdiff_t>(4, std::ssize(expected_));
  const auto at = std::find(expected_.begin(), end, word);
  if (at == end) {
    ++wrong_;
    if (first_.empty()) {
      first_ = "got " + text(word, bytes_) + "instead of " +
               (expected_.empty() ? "nothing" : text(expected_.front(), bytes_)) + "after " +
               std::to_string(good_) + " good ones";
    }
    return;
  }
  missing_ += static_cast<std::uint64_t>(at - expected_.begin());
  expected_.erase(expected_.begin(), at + 1);
  ++good_;
}

}  // namespace ht::test
