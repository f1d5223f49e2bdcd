// SPDX-License-Identifier: Apache-2.0
// Tofu links before lanes: packets over every number of lanes, whatever the clocks, the skew, the
// errors, and what the pauses cost.
#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/lane/lane_trouble.hpp"
#include "tests/support/power_on.hpp"
#include "tests/tofu/lanes/lane_tofu_pair.hpp"

using namespace ht::test;
using ht::model::Beat;
namespace reg = ht::tofu::registers::link;

namespace {

constexpr Femtoseconds kPeriod = 3'200'000;
constexpr std::array<unsigned, 4> kLanes{1, 2, 4, 8};
using Sent = std::array<std::vector<TofuPacket>, 2>;

/// Queues packets at both ends, `beats` of payload each, or any number.
Sent queue(TofuPair& pair, std::array<unsigned, 2> count, std::uint64_t seed, int beats = -1) {
  std::mt19937_64 random(seed);
  Sent sent;
  for (unsigned i = 0; i < 2; ++i) {
    auto& packets = pair.end(static_cast<int>(i)).to_send;
    for (unsigned n = 0; n < count[i]; ++n) {
      packets.push_back(beats < 0
                            ? random_tofu_packet(random)
                            : random_tofu_packet(random, static_cast<unsigned>(beats), n % 4));
      packets.back().nullified = beats < 0 && random() % 8 == 0;
    }
    sent[i] = good_packets(packets);
  }
  return sent;
}

void check_delivered(LaneTofuPair& pair, const Sent& sent) {
  for (int i = 0; i < 2; ++i) {
    TofuEnd& e = pair.end(i);
    INFO("at end " << i);
    CHECK(e.received.size() == sent[static_cast<std::size_t>(1 - i)].size());
    CHECK((e.received == sent[static_cast<std::size_t>(1 - i)]));
    CHECK_THAT(e.differences, Catch::Equals(std::vector<std::string>{}));
    CHECK(pair.read(i, reg::rx_checksum) == pair.read(1 - i, reg::tx_checksum));
    for (unsigned c = 0; c < 4; ++c) CHECK(e.room(c) == 64);
    CHECK(pair.read(i, reg::count_accepted) == e.received.size());
    CHECK(pair.lanes().count_late(static_cast<unsigned>(i)) == 0);
  }
}

/// Beats of an end, and where its packets began.
class Beats {
 public:
  void look(const Beat& beat, bool pause) {
    pauses_ += pause && !asked_ ? 1 : 0;
    asked_ = pause;
    if (beat.control == 1 && (beat.word[0] & 0xffU) == ht::model::tofu::kStart)
      starts_.push_back(count_);
    idle_ += beat == ht::model::kIdleBeat ? 1 : 0;
    ++count_;
  }
  const std::vector<std::uint64_t>& starts() const { return starts_; }
  std::uint64_t idle() const { return idle_; }
  std::uint64_t pauses() const { return pauses_; }
  std::uint64_t count() const { return count_; }

 private:
  std::vector<std::uint64_t> starts_;
  std::uint64_t count_ = 0, idle_ = 0, pauses_ = 0;
  bool asked_ = false;
};

}  // namespace

TEST_CASE("lanes: pauses under full traffic one way cost 2 beats in 514") {
  for (const unsigned lanes : kLanes) {
    PairOptions options;
    options.shape = {16, lanes};
    options.period = kPeriod;
    options.ppm = {-300, 300};
    LaneTofuPair pair(options, lanes);
    INFO(lanes << " lanes");
    REQUIRE(pair.lanes().bring_up());
    pair.bring_up();
    Beats beats;
    pair.watch = [&](unsigned end, const Beat& beat, bool pause) {
      if (end == 0) beats.look(beat, pause);
    };
    const Sent sent = queue(pair, {60, 0}, lanes, 125);
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
    // A set comes 510 words after the last one at the earliest, and full packets are 128 beats:
    // four of them between two sets. Without lanes they take 512.
    REQUIRE(beats.starts().size() == 60);
    for (std::size_t n = 8; n + 4 < 60; ++n) {
      INFO("packet " << n);
      CHECK(beats.starts()[n + 4] - beats.starts()[n] == 4 * 128 + 2);
    }
    static_assert(2 * 1000 <= 5 * 514, "half a percent");
    CHECK(pair.end(0).observed.retransmit == 0);
    check_delivered(pair, sent);
  }
}

TEST_CASE("lanes: pauses under full traffic both ways cost 2 beats each, and nothing else does") {
  PairOptions options;
  options.shape = {16, 4};
  options.period = kPeriod;
  options.ppm = {300, -300};
  LaneTofuPair pair(options, 1);
  REQUIRE(pair.lanes().bring_up());
  pair.bring_up();
  const Sent sent = queue(pair, {70, 70}, 3, 125);
  pair.run(1500);
  std::array<Beats, 2> beats;
  pair.watch = [&](unsigned end, const Beat& beat, bool pause) { beats.at(end).look(beat, pause); };
  pair.run(6000);
  pair.watch = nullptr;
  for (const Beats& b : beats) {
    // one that was asked for as this ends may not have been left yet
    CHECK(b.idle() + 2 >= 2 * b.pauses());
    CHECK(b.idle() <= 2 * b.pauses() + 2);
    CHECK(b.pauses() >= b.count() / 640);
    CHECK(1000 * b.idle() <= 5 * b.count());
  }
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
  check_delivered(pair, sent);
}

namespace {

/// What happened in all trials together.
struct Happened {
  std::uint64_t cuts = 0, flipped = 0, retransmitted = 0, trainings = 0, adjusted = 0;
};

/// Packets both ways, and whatever may happen to the cable meanwhile; at the end it is sound again.
void endure(unsigned trial, unsigned events, Happened& happened) {
  const RandomPowerOn power(trial);
  LaneTrouble trouble(seed_of(trial));
  const PairOptions options = trouble.options({16, kLanes.at(trial % 4)}, kPeriod);
  LaneTofuPair pair(options, trial);
  INFO("trial " << trial << ", " << options.shape.lanes << " lanes, " << options.ppm[0] << " and "
                << options.ppm[1] << " ppm, HYPERTORUS_TEST_SEED=" << test_seed());
  trouble.draw_lines(pair.lanes());
  REQUIRE(pair.lanes().bring_up());
  pair.bring_up();
  for (int i = 0; i < 2; ++i) {
    pair.write(i, reg::retry_limit, 200);
    pair.write(i, reg::retrain_limit, 15);
    pair.end(i).tx_pause = trouble.pick(2) == 0 ? 0 : 0.3;
    pair.end(i).drain = trouble.pick(2) == 0 ? 1 : 0.4;
  }
  const Sent sent = queue(pair, {80, 80}, seed_of(trial));
  for (unsigned n = 0; n < events; ++n) {
    trouble.happen(pair.lanes());
    pair.run(trouble.pick(3) == 0 ? trouble.pick(2500) : trouble.pick(300));
  }
  trouble.mend(pair.lanes());
  REQUIRE(pair.run_until([&] { return pair.lanes().up(); }, 4000));
  pair.run(20000);
  // a link that ran into a limit is down until it is enabled again
  for (int i = 0; i < 2; ++i) pair.write(i, reg::control, 1);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 200000));
  pair.run(400);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 200000));
  check_delivered(pair, sent);
  happened.cuts += trouble.cuts();
  happened.flipped += flipped_bits(pair.lanes());
  for (int i = 0; i < 2; ++i) {
    happened.retransmitted += pair.end(i).observed.retransmit;
    happened.trainings += pair.read(i, reg::count_retrain);
    const auto end = static_cast<unsigned>(i);
    happened.adjusted += pair.lanes().count_added(end) + pair.lanes().count_dropped(end);
  }
}

void endure_all(unsigned first, unsigned trials, unsigned events) {
  Happened happened;
  for (unsigned trial = first; trial < first + trials; ++trial) endure(trial, events, happened);
  CAPTURE(happened.cuts, happened.flipped, happened.retransmitted, happened.trainings,
          happened.adjusted);
  CHECK(happened.cuts >= trials);
  CHECK(happened.flipped >= trials);
  CHECK(happened.retransmitted >= trials);
  CHECK(happened.trainings >= trials);
  CHECK(happened.adjusted >= trials);
}

}  // namespace

TEST_CASE("lanes: clocks, skew, flipped bits, lanes and cables cut and plugged, at any moment") {
  endure_all(0, 12, 16);
}

TEST_CASE("lanes: the same, 100 times", "[nightly]") {
  endure_all(100, 100, 40);
}
