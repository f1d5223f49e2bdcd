// SPDX-License-Identifier: Apache-2.0
// Cables that carry bits, with a bundle at each end, under the simulation kernel: what arrives,
// what the ledger says of errors, and that neither threads nor windows change anything.
#include <zlib.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/lane/lane_end.hpp"
#include "sw/host/errors.hpp"
#include "tests/lane/lane_link.hpp"
#include "tests/support/test_seed.hpp"

namespace ht::test {
namespace {

using sim::CableOptions;
using sim::Clock;
using sim::ErrorTotals;
using sim::lanes::LaneCable;
using sim::lanes::LaneEnd;
using sim::lanes::LaneOptions;

constexpr std::uint8_t kStart = 0xfb, kEnd = 0xfd;

/// A link: frames of random data between a word FB and a word FD, with a CRC. What it accepts is
/// reported to the lanes' account.
class FrameNode final : public sim::SimNode {
 public:
  FrameNode(unsigned bytes, const Clock& clock, std::uint64_t seed, Picoseconds until)
      : bytes_(bytes), clock_(clock), random_(seed), until_(until), idle_(idle_word(bytes)) {}

  void connect(std::unique_ptr<LaneEnd> end) { end_ = std::move(end); }

  std::string name() const override { return "node"; }
  bool finished() const override { return clock_.edge(edge_) >= until_; }
  Picoseconds asleep_until() const override { return clock_.edge(edge_); }
  std::uint64_t progress() const override { return static_cast<std::uint64_t>(edge_); }
  std::string status() const override { return ""; }

  void run(Picoseconds /*from*/, Picoseconds to) override {
    for (; clock_.edge(edge_) < std::min(to, until_); ++edge_) {
      const Picoseconds now = clock_.edge(edge_);
      const LaneEnd::ToLink got = end_->clock(edge_, now, out_, edge_ < 8);
      paused_ = paused_ || (got.pause && !asked_);
      asked_ = got.pause;
      if (edge_ >= 8) receive(got.word, now);
      out_ = next();
    }
  }

  std::uint64_t accepted = 0, refused = 0, frames = 0;
  std::uint64_t hash = 0;         ///< of all that was received
  bool accepts_anything = false;  ///< a link that does not check

  LaneEnd& end() { return *end_; }

 private:
  // Frames of data, four words with a byte of their CRC-32 each, and a word FD.
  Word next() {
    if (left_ == 0) {
      if (!end_->up()) return idle_;
      if (paused_) {
        if (++gap_ == 2) paused_ = false;
        return idle_;
      }
      gap_ = 0;
      if (random_() % 4 == 0) return idle_;
      left_ = 6 + static_cast<unsigned>(random_() % 60);
      sent_crc_ = 0;
      ++frames;
      return special(kStart);
    }
    if (--left_ == 0) return special(kEnd);
    Word word;
    for (unsigned i = 0; i < bytes_; ++i) {
      word.data[i] = left_ <= 4 ? static_cast<std::uint8_t>(sent_crc_ >> 8 * (left_ - 1))
                                : static_cast<std::uint8_t>(random_());
    }
    if (left_ > 4) sent_crc_ = crc(sent_crc_, word);
    return word;
  }

  void receive(const Word& word, Picoseconds now) {
    for (unsigned i = 0; i < bytes_; ++i) hash = hash * 1099511628211ULL + word.data[i];
    if (word == idle_) return;
    sim::Observation seen;
    if (word == special(kStart)) {
      seen.start = true;
      inside_ = true;
      words_.clear();
    } else if (inside_ && word == special(kEnd)) {
      inside_ = false;
      (checks() ? seen.ok : seen.error) = true;
    } else if (inside_ && word.control == 0) {
      words_.push_back(word);
      return;
    } else {
      inside_ = false;
      seen.error = true;
    }
    if (accepts_anything && seen.error && end_->up()) {
      seen.error = false;
      seen.ok = true;
    }
    accepted += seen.ok ? 1 : 0;
    refused += seen.error && accepted > 0 ? 1 : 0;  // before, the lanes may not be up
    end_->observe(edge_, now, seen);
  }

  static Word special(std::uint8_t code) {
    Word word;
    word.data[0] = code;
    word.control = 1;
    return word;
  }
  std::uint32_t crc(std::uint32_t before, const Word& word) const {
    return static_cast<std::uint32_t>(crc32(before, word.data.data(), bytes_));
  }
  bool checks() const {
    if (words_.size() < 5) return false;
    std::uint32_t sum = 0;
    for (std::size_t n = 0; n + 4 < words_.size(); ++n) sum = crc(sum, words_[n]);
    for (unsigned n = 0; n < 4; ++n) {
      for (unsigned i = 0; i < bytes_; ++i) {
        const Word& word = words_[words_.size() - 1 - n];
        if (word.data[i] != static_cast<std::uint8_t>(sum >> 8 * n)) return false;
      }
    }
    return true;
  }

  unsigned bytes_;
  Clock clock_;
  std::mt19937_64 random_;
  Picoseconds until_;
  std::int64_t edge_ = 0;
  Word idle_, out_ = idle_;
  std::unique_ptr<LaneEnd> end_;
  unsigned left_ = 0, gap_ = 0;
  bool paused_ = false, asked_ = false, inside_ = false;
  std::uint32_t sent_crc_ = 0;
  std::vector<Word> words_;  ///< of the frame that comes
};

struct Setup {
  LaneOptions lanes;
  std::array<Clock, 2> clocks;
  sim::FaultPlan faults;  ///< of both directions
  std::uint64_t seed = 1;
  Picoseconds delay = 40'000;
  Picoseconds until = 80'000'000;
  unsigned threads = 1;
  Picoseconds window = 0;
  bool accepts_anything = false;
};

struct Outcome {
  std::array<std::uint64_t, 2> accepted{}, refused{}, frames{}, hash{};
  ErrorTotals errors;
  std::vector<std::uint64_t> kinds;
  bool up = false;
  bool operator==(const Outcome&) const = default;
};

Outcome run(const Setup& s) {
  sim::KernelOptions options;
  options.threads = s.threads;
  options.window = s.window;
  sim::Kernel kernel(options);
  std::array<FrameNode*, 2> nodes{};
  std::array<LaneCable*, 2> cables{};
  for (unsigned i = 0; i < 2; ++i) {
    auto node = std::make_unique<FrameNode>(s.lanes.shape.bytes, s.clocks[i], s.seed + i, s.until);
    node->accepts_anything = s.accepts_anything;
    nodes[i] = node.get();
    kernel.add_node(std::move(node));
  }
  for (unsigned i = 0; i < 2; ++i) {
    CableOptions cable;
    cable.name = i == 0 ? "there" : "back";
    cable.number = i;
    cable.sender = s.clocks[i];
    cable.receiver = s.clocks[1 - i];
    cable.delay = s.delay;
    cable.seed = s.seed;
    cable.faults = s.faults;
    auto made = std::make_unique<LaneCable>(cable, s.lanes);
    cables[i] = made.get();
    kernel.add_cable(std::move(made), i, 1 - i);
  }
  for (unsigned i = 0; i < 2; ++i)
    nodes[i]->connect(std::make_unique<LaneEnd>(*cables[i], *cables[1 - i],
                                                static_cast<std::uint32_t>(s.seed + i)));
  kernel.run(sim::kNever);
  Outcome out;
  out.errors = kernel.close_ledgers();
  out.up = nodes[0]->end().up() && nodes[1]->end().up();
  for (unsigned i = 0; i < 2; ++i) {
    out.accepted[i] = nodes[i]->accepted;
    out.refused[i] = nodes[i]->refused;
    out.frames[i] = nodes[i]->frames;
    out.hash[i] = nodes[i]->hash;
  }
  return out;
}

Setup drawn(std::uint64_t trial, Shape shape) {
  std::mt19937_64 random(seed_of(trial));
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  Setup s;
  s.lanes.shape = shape;
  s.seed = random();
  // the most that is allowed, in either direction, as often as anything else
  const std::int64_t most = 300'000;
  const std::array<std::int64_t, 3> off{below(2 * most + 1) - most, most, -most};
  for (unsigned i = 0; i < 2; ++i) {
    const std::size_t which = trial % 3 == 0 ? 0 : 1 + (trial + i) % 2;
    s.clocks[i] = Clock{4000, below(4000)}.slower_by(off[which]);
  }
  s.delay = 8'000 + below(300'000);
  s.lanes.skew = below(2) * below(44'000);
  s.lanes.jitter = below(2) * below(1'000);
  s.lanes.drift = below(2) * below(4'000);
  s.lanes.drift_period = 1'000'000 + below(50'000'000);
  return s;
}

constexpr unsigned kTrials = 6;

TEST_CASE("lane cables: every word arrives, in order, whatever skew, jitter, drift and phase") {
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    const Shape shape = kShapes[trial % kShapes.size()];
    CAPTURE(trial, shape.bytes, shape.lanes);
    const Setup s = drawn(trial, shape);
    CAPTURE(s.delay, s.lanes.skew, s.lanes.jitter, s.lanes.drift);
    const Outcome o = run(s);
    CHECK(o.up);
    CHECK(o.errors.injected == 0);
    for (const unsigned i : {0U, 1U}) {
      CHECK(o.frames[i] > 100);
      CHECK(o.refused[i] == 0);
      // what was sent at the end has not arrived yet
      CHECK(o.accepted[1 - i] + 20 >= o.frames[i]);
      CHECK(o.accepted[1 - i] <= o.frames[i]);
    }
  }
}

TEST_CASE("lane cables: neither threads nor the window's length change a bit") {
  Setup s = drawn(20, {4, 4});
  s.faults.bit_error_rate = 1e-5;
  const Outcome one = run(s);
  CHECK(one.errors.injected > 0);
  s.threads = 2;
  CHECK(run(s) == one);
  s.window = 5'000;
  CHECK(run(s) == one);
}

TEST_CASE("lane cables: of every error it is known what became of it, and none passes") {
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    const Shape shape = kShapes[trial % kShapes.size()];
    CAPTURE(trial, shape.bytes, shape.lanes);
    Setup s = drawn(100 + trial, shape);
    s.until = 160'000'000;
    s.faults.bit_error_rate = 2e-6;
    s.faults.drawn = {.bursts = 3,
                      .burst_length = 20,
                      .lost = 2,
                      .doubled = 2,
                      .from = 20'000'000,
                      .until = 100'000'000};
    s.faults.pulls.push_back({110'000'000, 114'000'000, trial % 2 == 1});
    s.faults.lane_faults.push_back({sim::ErrorKind::Stuck, 0, trial % 2, 125'000'000, 126'000'000});
    const Outcome o = run(s);
    CHECK(o.up);
    CHECK(o.errors.balanced());
    CHECK(o.errors.injected >= 2 * 9);
    CHECK(o.errors.detected > 10);
    CHECK(o.errors.undetected == 0);
    CHECK(o.refused[0] + o.refused[1] > 0);
    CHECK(o.accepted[0] > 100);
  }
}

// A lane whose words begin at another place than before may take what training repeats for good.
TEST_CASE("lane cables: lanes that heard nothing for a while are up again, wherever words begin") {
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    const Shape shape = kShapes[trial % kShapes.size()];
    CAPTURE(trial, shape.bytes, shape.lanes);
    Setup s = drawn(150 + trial, shape);
    s.until = 200'000'000;
    for (Picoseconds at = 20'000'000; at < 160'000'000; at += 20'000'000)
      s.faults.pulls.push_back({at, at + 500'000, true});
    const Outcome o = run(s);
    CHECK(o.up);
    CHECK(o.errors.injected == 2 * s.faults.pulls.size());
    CHECK(o.errors.undetected == 0);
  }
}

TEST_CASE("lane cables: a link that does not check has undetected errors") {
  Setup s = drawn(200, {4, 4});
  s.faults.bit_error_rate = 1e-5;
  s.accepts_anything = true;
  const Outcome o = run(s);
  CHECK(o.errors.balanced());
  CHECK(o.errors.undetected > 0);
}

TEST_CASE("lane cables: lanes differ by their skew, jitter and drift, and are cut anywhere") {
  CableOptions cable;
  cable.name = "there";
  cable.delay = 40'000;
  // Words whose only 1 is the first bit of every lane: it shows where the receiver's words begin.
  Bits bits{};
  for (const unsigned lane : {0U, 1U, 2U, 3U}) sim::lanes::set_bit(bits, 10 * lane, true);
  struct Seen {
    std::set<unsigned> places;        // of that bit
    std::set<Picoseconds> delays;     // of lanes' second words
    Picoseconds least = 0, most = 0;  // of lane 0's words
  };
  const auto look = [&](const LaneOptions& lanes, std::int64_t words, std::uint64_t seed) {
    cable.seed = seed;
    LaneCable there(cable, lanes);
    for (std::int64_t n = 0; n < words; ++n)
      there.send(n, cable.sender.edge(n), idle_word(4), bits);
    there.transfer(cable.sender.edge(words));
    Seen seen;
    for (unsigned lane = 0; lane < 4; ++lane) {
      for (std::int64_t n = 0; const auto* word = there.arrived(lane, sim::kNever - 1); ++n) {
        unsigned place = 0;
        while (n == 1 && place < 10 && !sim::lanes::bit_of(word->bits, place)) ++place;
        const Picoseconds delay = word->time - cable.sender.edge(n);
        if (n == 1) seen.places.insert(place);
        if (n == 1) seen.delays.insert(delay);
        if (lane == 0) {
          seen.least = n == 0 ? delay : std::min(seen.least, delay);
          seen.most = n == 0 ? delay : std::max(seen.most, delay);
        }
        there.take(lane);
      }
    }
    return seen;
  };
  std::set<unsigned> places;
  std::set<Picoseconds> delays;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Seen plain = look({}, 1000, seed), skewed = look({.skew = 40'000}, 1000, seed);
    places.insert(plain.places.begin(), plain.places.end());
    CHECK(plain.least == plain.most);
    CHECK(*plain.delays.begin() >= cable.delay);
    CHECK(*plain.delays.rbegin() <= cable.delay + 8'000);
    delays.insert(skewed.delays.begin(), skewed.delays.end());
    CHECK(skewed.least == skewed.most);
  }
  CHECK(places.size() == 10);
  CHECK(delays.size() > 40);
  CHECK(*delays.rbegin() > cable.delay + 36'000);
  CHECK(*delays.rbegin() <= cable.delay + 48'000);
  const Seen jitter = look({.jitter = 900}, 1000, 1);
  CHECK(jitter.most - jitter.least > 800);
  CHECK(jitter.most - jitter.least <= 900);
  // a whole period of the drift: there and back
  const Seen drift = look({.drift = 3'000, .drift_period = 2'000'000}, 1000, 1);
  CHECK(drift.most - drift.least > 2'900);
  CHECK(drift.most - drift.least <= 3'000);
}

TEST_CASE("lane cables: what cannot be is refused") {
  CableOptions cable;
  cable.name = "there";
  const auto refused = [&](const LaneOptions& lanes, const std::string& what) {
    CHECK_THROWS_WITH(LaneCable(cable, lanes), Catch::Matchers::Contains(what));
  };
  refused({.skew = 60'000}, "13 words");
  refused({.jitter = -1}, "negative");
  refused({.jitter = 30'000, .drift = 30'000}, "13 words");
  CHECK_NOTHROW(LaneCable(cable, {.shape = {4, 1}, .skew = 60'000}));
  cable.faults.forced.push_back({0, {{1, 1}}});
  refused({}, "packets");
  CHECK_THROWS_AS(sim::lanes::make_bundle({3, 1}), UsageError);
}

}  // namespace
}  // namespace ht::test
