// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <random>
#include <string>

#include "tests/lane/lane_pair.hpp"

namespace ht::test {

struct LinkOptions {
  unsigned longest = 128;  ///< words of a frame
  double idle = 0;         ///< words between frames, on average
  bool pauses = true;      ///< leaves two idle words at the end of a frame whenever it is asked to
};

/// What a link does, as far as lanes care: frames of random characters, no idle word within, one
/// behind the other.
class LaneLink {
 public:
  LaneLink(unsigned bytes, const LinkOptions& options, std::uint64_t seed)
      : bytes_(bytes), options_(options), random_(seed) {}

  /// The next word, given whether lanes ask for a pause.
  Word next(bool pause);
  std::uint64_t frames() const { return frames_; }
  std::uint64_t words() const { return words_; }
  std::uint64_t pauses() const { return pauses_; }

 private:
  Word random_word();
  unsigned bytes_;
  LinkOptions options_;
  std::mt19937_64 random_;
  unsigned left_ = 0, gap_ = 0;
  bool paused_ = false, asked_ = false;
  std::uint64_t frames_ = 0, words_ = 0, pauses_ = 0;
};

/// Compares what an end receives with what the other end sent, idle words left out.
class WordCheck {
 public:
  explicit WordCheck(unsigned bytes) : bytes_(bytes), idle_(idle_word(bytes)) {}
  void sent(const Word& word) {
    if (counts_ && word != idle_) expected_.push_back(word);
  }
  void received(const Word& word);
  void start() {
    expected_.clear();
    counts_ = true;
  }
  std::uint64_t good() const { return good_; }
  std::uint64_t wrong() const { return wrong_; }      ///< words that were not sent, or not there
  std::uint64_t missing() const { return missing_; }  ///< words that were sent and did not come
  std::size_t waiting() const { return expected_.size(); }
  const std::string& first() const { return first_; }

 private:
  unsigned bytes_;
  Word idle_;
  std::deque<Word> expected_;
  bool counts_ = false;
  std::uint64_t good_ = 0, wrong_ = 0, missing_ = 0;
  std::string first_;
};

}  // namespace ht::test
