// SPDX-License-Identifier: Apache-2.0
// QPACE links before lanes: traffic over every number of lanes, whatever the clocks, the skew, the
// errors, and what the pauses cost.
#include <catch2/catch.hpp>

#include "tests/lane/lane_trouble.hpp"
#include "tests/qpace/lanes/lane_link_pair.hpp"
#include "tests/qpace/link/link_traffic.hpp"
#include "tests/support/power_on.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht::test;
namespace model = ht::model::qpace;

namespace {

constexpr Femtoseconds kPeriod = 4'000'000;
constexpr std::array<unsigned, 3> kLanes{1, 2, 4};

}  // namespace

TEST_CASE("lanes: pauses under full traffic one way cost 2 words in 546") {
  for (const unsigned lanes : kLanes) {
    PairOptions options;
    options.shape = {4, lanes};
    options.ppm = {300, -300};
    LaneLinkPair pair(options, {});
    INFO(lanes << " lanes");
    REQUIRE(pair.lanes().bring_up());
    pair.bring_up();
    PauseWatch words;
    pair.watch = [&](unsigned end, const WireWord& w, bool pause) {
      if (end == 0) words.look(w.starts(model::kStart), w.idle(), pause);
    };
    Traffic traffic(pair, lanes);
    traffic.queue({400, 0});
    traffic.settle(40000);
    traffic.check_counters();
    // A set comes 510 words after the last one at the earliest, and packets are 34 words: 16 of
    // them between two sets. Without lanes they take 544 words.
    REQUIRE(words.starts().size() == 400);
    for (std::size_t n = 20; n + 16 < 380; ++n) {
      INFO("packet " << n);
      CHECK(words.starts()[n + 16] - words.starts()[n] == 16 * 34 + 2);
    }
    static_assert(2 * 1000 <= 5 * 546, "half a percent");
    CHECK(pair.read(0, reg::count_retransmitted) == 0);
    CHECK(pair.lanes().count_late(0) + pair.lanes().count_late(1) == 0);
  }
}

TEST_CASE("lanes: pauses under full traffic both ways cost 2 words each, and nothing else does") {
  PairOptions options;
  options.shape = {4, 2};
  options.ppm = {-300, 300};
  LaneLinkPair pair(options, {});
  REQUIRE(pair.lanes().bring_up());
  pair.bring_up();
  Traffic traffic(pair, 7);
  traffic.queue({700, 700});
  const auto accepted = [&](std::uint64_t n) {
    return pair.end(0).observed.accept >= n && pair.end(1).observed.accept >= n;
  };
  REQUIRE(pair.run_until([&] { return accepted(20); }, 2000));
  std::array<PauseWatch, 2> words;
  pair.watch = [&](unsigned end, const WireWord& w, bool pause) {
    words.at(end).look(w.starts(model::kStart), w.idle(), pause);
  };
  REQUIRE(pair.run_until([&] { return accepted(660); }, 40000));
  for (const PauseWatch& w : words) w.check(560);
  pair.watch = nullptr;
  traffic.settle(40000);
  traffic.check_counters();
  CHECK(pair.lanes().count_late(0) + pair.lanes().count_late(1) == 0);
}

namespace {

/// Traffic both ways, and whatever may happen to the cable meanwhile; at the end it is sound again.
void endure(unsigned trial, unsigned events, Happened& happened) {
  const RandomPowerOn power(trial);
  LaneTrouble trouble(seed_of(trial));
  const PairOptions options = trouble.options({4, kLanes.at(trial % 3)}, kPeriod);
  LinkPair::Options link;
  link.seed = trial;
  link.phase_ps = {trouble.pick(4800), trouble.pick(4800), 0, 0};
  link.core_period_ps = 3500 + trouble.pick(3000);
  LaneLinkPair pair(options, link);
  INFO("trial " << trial << ", " << options.shape.lanes << " lanes, " << options.ppm[0] << " and "
                << options.ppm[1] << " ppm, HYPERTORUS_TEST_SEED=" << test_seed());
  trouble.draw_lines(pair.lanes());
  REQUIRE(pair.lanes().bring_up());
  pair.bring_up();
  for (int i = 0; i < 2; ++i) {
    pair.write(i, reg::ack_timeout, 900 + trouble.pick(2000));
    pair.write(i, reg::retry_limit, 200);
    pair.write(i, reg::retrain_limit, 15);
    pair.end(i).tx_pause = trouble.pick(2) == 0 ? 0 : 0.2;
    pair.end(i).rx_eagerness = trouble.pick(2) == 0 ? 1.0 : 0.05;
  }
  Traffic traffic(pair, trial);
  traffic.queue({200, 200}, 1 + trouble.pick(8));
  for (unsigned n = 0; n < events; ++n) {
    trouble.happen(pair.lanes());
    pair.run(trouble.pick(3) == 0 ? trouble.pick(2500) : trouble.pick(300));
  }
  trouble.mend(pair.lanes());
  // a link that ran into a limit is down until it is enabled again
  REQUIRE(pair.run_until([&] { return pair.lanes().up(); }, 4000));
  pair.run(20000);
  for (int i = 0; i < 2; ++i) pair.write(i, reg::control, 1);
  traffic.settle(200000);
  traffic.check_counters();
  happened.add(trouble, pair.lanes());
  for (int i = 0; i < 2; ++i) {
    happened.retransmitted += pair.read(i, reg::count_retransmitted);
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

TEST_CASE("lanes: the same, 300 times", "[nightly]") {
  endure_all(100, 300, 40);
}
