// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sim/cable/error_ledger.hpp"
#include "sim/lane/bundle.hpp"

namespace ht::sim::lanes {

/// Whether a word received is the one sent, as far as the link looks at it in a frame, or for a
/// command beside a frame's word.
struct WordParts {
  bool (*frame)(const Word& sent, const Word& got) = [](const Word& s, const Word& g) {
    return s == g;
  };
  bool (*command)(const Word& sent, const Word& got) = [](const Word& s, const Word& g) {
    return s == g;
  };
};

/// What became of the errors of a cable whose ends are lanes. Words may take any time to get
/// through lanes, and one wrong bit shows when the lanes' decoder notices it, so an error has no
/// place among the words received; instead:
///  * undetected: the link accepted a frame, or a command, that is not the next of those sent, some
///    of which may be missing: the latest error that may still have had an effect did it;
///  * detected: not so, and while it may have had an effect the lanes found a character that cannot
///    be, or the link complained;
///  * harmless: neither.
/// All of it goes into the cable's ledger. Belongs to the receiver's thread.
class LaneAccount {
 public:
  LaneAccount(ErrorLedger& ledger, const Word& idle, const WordParts& parts)
      : ledger_(ledger), idle_(idle), parts_(parts) {}

  /// The next word that the sender's link handed to its lanes, whatever they did with it.
  void sent(const Word& word);
  /// Error `number` of the ledger may show at the receiver from then on, and until then, or longer
  /// if it goes on. In order of `from`.
  void injected(std::size_t number, Picoseconds from, Picoseconds until);

  // Of the receiver's link clock; edges and times increase.

  /// At that edge this word was on the link's input.
  void received(std::int64_t edge, const Word& word);
  /// The lanes found a character that cannot be. `edge`: of the last word of which the link may
  /// have told already.
  void bad(std::int64_t edge, Picoseconds now);
  /// What the link said of the word at that edge. Throws std::logic_error if it accepted what was
  /// not sent, and no error may have done it.
  void observe(std::int64_t edge, Picoseconds now, const Observation& seen);

 private:
  struct Got {
    std::int64_t edge;
    Word word;
  };
  struct Open {
    std::size_t number;
    Picoseconds from, until;
  };
  bool was_sent(std::int64_t from, std::int64_t to, std::uint64_t& next,
                bool (*same)(const Word& sent, const Word& got));
  void show(std::int64_t edge, Picoseconds now);
  void show_accepted(std::int64_t edge, Picoseconds now);

  ErrorLedger& ledger_;
  Word idle_;
  WordParts parts_;
  std::deque<Word> sent_;                            ///< idle ones left out
  std::uint64_t first_ = 0;                          ///< number of its first
  std::uint64_t next_frame_ = 0, next_command_ = 0;  ///< the earliest word of the next one accepted
  std::deque<Got> got_;                              ///< idle ones left out
  std::int64_t start_ = -1;  ///< edge of the first word of the frame that is coming
  std::vector<Open> open_;   ///< errors that may still show
};

}  // namespace ht::sim::lanes
