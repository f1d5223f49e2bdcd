// SPDX-License-Identifier: Apache-2.0
// A Tofu link without errors: training, packets of all lengths both ways, latency, rates.
#include <catch2/catch.hpp>

#include "sw/tofu/registers.hpp"
#include "tests/support/power_on.hpp"
#include "tests/tofu/link/pair.hpp"

using namespace ht::test;
namespace reg = ht::tofu::registers::link;

TEST_CASE("tofu link: packets of all lengths, both ways, with pauses") {
  for (unsigned trial = 0; trial < 4; ++trial) {
    const RandomPowerOn power(trial);
    TofuPair pair(trial == 0 ? 1 : 20 * trial, trial);
    pair.bring_up();
    std::mt19937_64 random(seed_of(trial));
    std::array<std::vector<TofuPacket>, 2> sent;
    for (int i = 0; i < 2; ++i) {
      for (unsigned n = 0; n < 300; ++n)
        pair.end(i).to_send.push_back(n < 126 ? random_tofu_packet(random, n, n % 4)
                                              : random_tofu_packet(random));
      sent[static_cast<std::size_t>(i)] = good_packets(pair.end(i).to_send);
      pair.end(i).tx_pause = trial == 1 ? 0.3 : trial == 2 && i == 1 ? 0.9 : 0;
      pair.end(i).drain = trial == 3 ? 0.4 : 1;
    }
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 400000));
    for (int i = 0; i < 2; ++i) {
      TofuEnd& e = pair.end(i);
      INFO("trial " << trial << " end " << i);
      CHECK(e.received == sent[static_cast<std::size_t>(1 - i)]);
      CHECK(e.differences == std::vector<std::string>{});
      CHECK(e.observed.error == 0);
      CHECK(e.observed.retransmit == 0);
      CHECK(e.observed.accept == 300);
      CHECK(e.bad == 0);
      for (unsigned c = 0; c < 4; ++c) CHECK(e.room(c) == 64);
      CHECK(pair.read(i, reg::count_sent) == 300);
      CHECK(pair.read(i, reg::count_accepted) == 300);
      CHECK(pair.read(i, reg::error) == 0);
      ht::model::tofu::Checksum sum;
      for (const auto& p : e.received) sum.add(p);
      CHECK(pair.read(i, reg::rx_checksum) == sum.value());
      CHECK(pair.read(1 - i, reg::tx_checksum) == sum.value());
    }
  }
}

TEST_CASE("tofu link: latency") {
  constexpr unsigned kDelay = 20;
  TofuPair pair(kDelay);
  pair.bring_up();
  pair.run(200);
  std::mt19937_64 random(1);
  for (const unsigned beats : {0U, 1U, 3U, 125U}) {
    pair.end(0).to_send.push_back(random_tofu_packet(random, beats, 1));
    REQUIRE(pair.run_until([&] { return pair.finished(); }, 1000));
    CHECK(pair.end(0).cycle_of[1] - pair.end(0).cycle_of[0] == 2 + kTxStages);
    // the cable's own register counts in its delay
    CHECK(pair.end(1).cycle_of[2] - pair.end(0).cycle_of[1] == kDelay + 3 + kRxStages);
  }
}

TEST_CASE("tofu link: full packets both ways") {
  TofuPair pair;
  pair.bring_up();
  std::mt19937_64 random(1);
  for (int i = 0; i < 2; ++i) {
    for (unsigned n = 0; n < 60; ++n)
      pair.end(i).to_send.push_back(random_tofu_packet(random, 125, n % 4));
  }
  pair.run(2000);
  std::array<std::uint64_t, 2> before{pair.end(0).payload_beats, pair.end(1).payload_beats};
  const auto from = pair.cycle();
  pair.run(32 * 128);
  for (int i = 0; i < 2; ++i) {
    const auto beats = pair.end(i).payload_beats - before[static_cast<std::size_t>(i)];
    CHECK(beats == 32 * 125);
    CHECK(static_cast<double>(beats) / static_cast<double>(pair.cycle() - from) >= 0.97);
    CHECK(pair.end(i).observed.retransmit == 0);
  }
}

// The acknowledgement of a packet waits for the end of a full one of the other direction.
TEST_CASE("tofu link: the longest cables that keep full rate") {
  std::mt19937_64 random(1);
  const auto rate = [&](unsigned delay, bool both, unsigned channels) {
    TofuPair pair(delay);
    pair.bring_up();
    for (int i = 0; i < (both ? 2 : 1); ++i) {
      for (unsigned n = 0; n < 60; ++n)
        pair.end(i).to_send.push_back(random_tofu_packet(random, 125, n % channels));
    }
    pair.run(3000);
    const auto before = pair.end(1).payload_beats;
    pair.run(32 * 128);
    return static_cast<double>(pair.end(1).payload_beats - before) / (32 * 128);
  };
  // one channel: credits as well as acknowledgements go round
  CHECK(rate(120 - kStages, true, 1) >= 0.97);
  CHECK(rate(120 - kStages, true, 4) >= 0.97);
  CHECK(rate(180 - kStages, false, 1) >= 0.97);
  CHECK(rate(150, true, 4) < 0.97);
}
