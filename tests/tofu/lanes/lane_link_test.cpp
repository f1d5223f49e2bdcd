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

void look(PauseWatch& watch, const Beat& beat, bool pause) {
  const bool starts = beat.control == 1 && (beat.word[0] & 0xffU) == ht::model::tofu::kStart;
  watch.look(starts, beat == ht::model::kIdleBeat, pause);
}

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
    PauseWatch beats;
    pair.watch = [&](unsigned end, const Beat& beat, bool pause) {
      if (end == 0) look(beats, beat, pause);
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
    CHECK(pair.lanes().count_late(0) + pair.lanes().count_late(1) == 0);
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
  std::array<PauseWatch, 2> beats;
  pair.watch = [&](unsigned end, const Beat& beat, bool pause) {
    look(beats.at(end), beat, pause);
  };
  pair.run(6000);
  pair.watch = nullptr;
  for (const PauseWatch& b : beats) b.check(640);
  REQUIRE(pair.run_until([&] { return pair.finished(); }, 20000));
  check_delivered(pair, sent);
  CHECK(pair.lanes().count_late(0) + pair.lanes().count_late(1) == 0);
}

namespace {

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
  happened.add(trouble, pair.lanes());
  for (int i = 0; i < 2; ++i) {
    happened.retransmitted += pair.end(i).observed.retransmit;
    happened.trainings += pair.read(i, reg::count_retrain);
  }
}

void endure_all(unsigned first, unsigned trials, unsigned events) {
  Happened happened;
  for (unsigned trial = first; trial < first + trials; ++trial) endure(trial, events, happened);
  happened.check(trials);
}

}  // namespace

TEST_CASE("lanes: clocks, skew, flipped bits, lanes and cables cut and plugged, at any moment") {
  endure_all(0, 12, 16);
}

TEST_CASE("lanes: the same, 100 times", "[nightly]") {
  endure_all(100, 100, 40);
}
