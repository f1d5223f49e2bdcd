// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <vector>

#include "sim/lane/bundle.hpp"

namespace ht::test {

using sim::lanes::bit_of;
using sim::lanes::Bits;
using sim::lanes::Bundle;
using sim::lanes::BundleInputs;
using sim::lanes::BundleOutputs;
using sim::lanes::error_word;
using sim::lanes::idle_word;
using sim::lanes::kShapes;
using sim::lanes::Shape;
using sim::lanes::Word;

/// Femtoseconds: one part per million of a word's 4 ns is 4 of them.
using Femtoseconds = std::int64_t;

/// One lane of a cable, one way: bits in the order in which they were sent, cut into the receiver's
/// words anywhere. Its clock is the sender's, later, as a receiver recovers it.
struct LaneLine {
  Femtoseconds delay = 1'000'000;
  unsigned offset = 0;        ///< the receiver's words begin so many bits late
  Femtoseconds jitter = 0;    ///< of the receiver's clock: up to this later, at random
  double bit_errors = 0;      ///< probability that a bit is flipped
  bool signal = true;         ///< what the receiver says; the bits are `dead` below if it is false
  bool cut = false;           ///< bits that come are `dead`
  unsigned dead = 0;          ///< 0: zeros, 1: ones, 2: random bits
  bool clock = true;          ///< the receiver's clock runs
  unsigned from = 0;          ///< lane of the sender's
  bool inverted = false;      ///< its two wires are swapped
  std::uint64_t flipped = 0;  ///< bits
  std::uint64_t flips_at = ~std::uint64_t{0};  ///< the bit of this number is flipped, too
  unsigned drop_words = 0;  ///< so many words of the sender are lost, and no clock comes for them
  unsigned drop_bits = 0;   ///< so many bits

  // state
  std::uint64_t bits = 0;
  std::deque<bool> line;
  std::deque<std::pair<Femtoseconds, Bits>> edges;
};

struct PairOptions {
  Shape shape = {4, 4};
  Shape other = {0, 0};             ///< of end 1, if it differs
  std::array<double, 2> ppm{};      ///< how much faster than nominal each end is
  Femtoseconds period = 4'000'000;  ///< of a cycle
  Femtoseconds phase = 0;           ///< of end 1's clock
  unsigned every = 1;               ///< `en` every so many cycles
  std::uint64_t seed = 0;
};

/// Two bundles and a cable of lanes, in real time. Each end has a clock, and so has every lane of
/// its receiver.
class LanePair {
 public:
  explicit LanePair(const PairOptions& options);
  ~LanePair();

  /// Called for each cycle of an end's clock, before its edge; with `en` its source is called next.
  std::array<std::function<void(const BundleOutputs&, bool en)>, 2> tick;
  /// What an end sends: called once for each of its words, just before it is taken.
  std::array<std::function<Word(const BundleOutputs&)>, 2> source;
  /// What it receives.
  std::array<std::function<void(const Word&)>, 2> sink;

  unsigned bytes(unsigned end) const { return ends_[end].bundle->bytes(); }
  unsigned lanes(unsigned end) const { return ends_[end].bundle->lanes(); }
  /// Lane `lane` as end `end` receives it.
  LaneLine& line(unsigned end, unsigned lane) { return ends_[end].lines[lane]; }
  /// Lines that are cut anywhere, with delays that differ by up to `skew` words.
  void draw_lines(double skew);

  BundleInputs& in(unsigned end) { return ends_[end].in; }
  const BundleOutputs& out(unsigned end) const { return ends_[end].out; }
  /// Words that end's clock has taken.
  std::uint64_t words(unsigned end) const { return ends_[end].words; }
  std::uint64_t count_added(unsigned end) const { return ends_[end].added; }
  std::uint64_t count_dropped(unsigned end) const { return ends_[end].dropped; }
  std::uint64_t count_lost(unsigned end) const { return ends_[end].lost; }
  std::uint64_t count_bad(unsigned end) const { return ends_[end].bad; }
  std::uint64_t count_late(unsigned end) const { return ends_[end].late; }  ///< cycles
  /// Of an end's next edge; in its source and sink, of this one.
  Femtoseconds now(unsigned end) const { return ends_[end].next; }
  Femtoseconds word_time() const { return options_.period * options_.every; }

  void step();                    ///< the next edge, of whichever clock
  void run(std::uint64_t words);  ///< of end 0
  /// Until `done`, or `limit` words of end 0 later: false.
  bool run_until(const std::function<bool()>& done, std::uint64_t limit);
  bool up() const { return out(0).up && out(1).up; }
  bool bring_up(std::uint64_t limit = 3000);
  /// Power-on of one end.
  void reset(unsigned end, unsigned cycles = 8);

 private:
  struct End {
    std::unique_ptr<Bundle> bundle;
    BundleInputs in;
    BundleOutputs out;
    std::vector<LaneLine> lines;
    double period = 0, exact = 0;
    Femtoseconds next = 0;
    unsigned cycle = 0;
    unsigned resetting = 8;
    std::uint64_t words = 0, added = 0, dropped = 0, lost = 0, bad = 0, late = 0;
  };
  void clock(unsigned end);
  void send(unsigned end, Femtoseconds now);
  void receive(unsigned end, unsigned lane);

  PairOptions options_;
  std::array<End, 2> ends_;
  std::mt19937_64 random_;
};

}  // namespace ht::test
