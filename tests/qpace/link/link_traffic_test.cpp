// SPDX-License-Identifier: Apache-2.0
// Traffic over two Verilated link ends and a sound cable: everything arrives once, unaltered, in
// order; nothing is ever sent again.
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"
#include "tests/support/power_on.hpp"
#include "verif/model/qpace/wire.hpp"

using namespace ht::test;
namespace model = ht::model::qpace;

TEST_CASE("link: both ends come up, packets pass both ways") {
  LinkPair pair({.delay = 10});
  CHECK_FALSE(pair.end(0).up());
  CHECK(reg::status_state.get(pair.read(0, reg::status)) == reg::status_state_down);
  pair.bring_up();
  CHECK(reg::status_state.get(pair.read(0, reg::status)) == reg::status_state_up);
  CHECK(pair.read(0, reg::peer) == ((1U << 16) | 101U));
  CHECK(pair.read(1, reg::peer) == 100U);
  Traffic traffic(pair, 1);
  traffic.queue({1, 0});
  traffic.settle(2000);
  traffic.queue({50, 50});
  traffic.settle(20000);
  traffic.check_counters();
  CHECK(pair.read(0, reg::count_sent) == 51);
  CHECK(pair.read(0, reg::count_retransmitted) == 0);
  CHECK(pair.read(0, reg::error) == 0);
  CHECK_FALSE(pair.end(0).attention());
}

TEST_CASE("link: the checksum is the model's") {
  LinkPair pair({.delay = 5});
  pair.bring_up();
  model::PayloadChecksum sum;
  std::mt19937_64 random(5);
  for (int n = 0; n < 5; ++n) {
    const Packet p = random_packet(random);
    for (const auto w : p.words) sum.add(w);
    pair.end(0).to_send.push_back(p);
  }
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 5; }, 1000));
  pair.run(100);
  CHECK(pair.read(0, reg::tx_checksum) == sum.value());
  CHECK(pair.read(1, reg::rx_checksum) == sum.value());
}

TEST_CASE("link: random traffic, pauses, clock phases and cable lengths") {
  for (unsigned trial = 0; trial < 24; ++trial) {
    const RandomPowerOn power(trial);
    std::mt19937_64 random(seed_of(trial));
    const auto pick = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    LinkPair::Options options;
    options.delay = 1 + pick(100);
    options.phase_ps = {pick(4800), pick(4800), pick(4000), pick(4000)};
    options.seed = trial;
    if (trial % 3 == 1) options.core_period_ps = 6024;  // 166 MHz
    if (trial % 6 == 2) options.core_period_ps = 2000 + pick(9000);
    LinkPair pair(options);
    INFO("trial " << trial << ", delay " << options.delay << ", core period "
                  << options.core_period_ps);
    pair.bring_up();
    for (int i = 0; i < 2; ++i) {
      // Anything legal that is above the longest round trip, and below what a test waits for.
      pair.write(i, reg::ack_timeout, 1000 + pick(64'000));
      pair.write(i, reg::retry_limit, pick(256));
      pair.write(i, reg::retrain_limit, pick(16));
      pair.write(i, reg::busy_probe, 256 * (1 + pick(64)));
      pair.write(i, reg::alive_timeout, 1024 * (4 + pick(60)));
      pair.end(i).tx_pause = pick(2) == 0 ? 0.0 : 0.01 * pick(90);
      pair.end(i).rx_eagerness = pick(2) == 0 ? 1.0 : 0.03;
    }
    Traffic traffic(pair, trial);
    traffic.queue({pick(150), pick(150)}, 1 + pick(8));
    traffic.settle(400000);
    traffic.check_counters();
    for (int i = 0; i < 2; ++i) {
      CHECK(pair.read(i, reg::count_timeout) == 0);
      CHECK(pair.read(i, reg::count_nack_sent) == 0);
      CHECK(pair.read(i, reg::count_crc_error) == 0);
      CHECK(pair.read(i, reg::count_framing_error) == 0);
      CHECK(pair.read(i, reg::count_code_error) == 0);
      CHECK(pair.read(i, reg::count_command_error) == 0);
      CHECK(pair.read(i, reg::error) == 0);
      CHECK(pair.end(i).observed.error == 0);
    }
  }
}

TEST_CASE("link: room for a packet is room for a packet") {
  LinkPair pair({.delay = 5});  // not brought up: nothing leaves the FIFO
  std::mt19937_64 random(9);
  for (int n = 0; n < 17; ++n) pair.end(0).to_send.push_back(random_packet(random));
  std::size_t left = 17;
  pair.every = [&] {
    // room is promised exactly until the 16th line was begun
    const bool room = pair.end(0).room();
    const std::size_t now = pair.end(0).to_send.size();
    if (now <= 1) CHECK_FALSE(room);
    if (now > 2) CHECK(room);
    left = now;
  };
  pair.run(400);
  CHECK(left == 1);
  pair.every = nullptr;
  pair.bring_up();
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 17; }, 3000));
}

TEST_CASE("link: withdrawn packets are not delivered, and nothing else is disturbed") {
  for (unsigned trial = 0; trial < 8; ++trial) {
    LinkPair pair({.delay = 20 + trial, .seed = trial});
    INFO("trial " << trial);
    pair.bring_up();
    std::mt19937_64 random(trial);
    std::vector<Packet> kept;
    for (int n = 0; n < 200; ++n) {
      Packet p = random_packet(random);
      p.withdrawn = random() % 3 == 0;
      pair.end(0).to_send.push_back(p);
      if (!p.withdrawn) kept.push_back(p);
    }
    if (trial % 2 == 1) pair.cable(0).damage = {.flip = 1e-3, .error_lane = 1e-3};
    if (trial % 4 == 3) pair.end(1).rx_eagerness = 0.02;
    REQUIRE(pair.run_until(
        [&] { return pair.end(1).received.size() == kept.size() && pair.end(0).idle(); }, 200000));
    pair.cable(0).damage = {};
    pair.run(500);
    CHECK(by_channel(pair.end(1).received) == by_channel(kept));
    CHECK(pair.read(0, reg::count_sent) == 200);
    CHECK(pair.read(1, reg::count_accepted) == 200);
    CHECK(pair.read(0, reg::tx_checksum) == pair.read(1, reg::rx_checksum));
  }
}

TEST_CASE("link: a sound packet that damage makes a withdrawn one shows in the checksums") {
  // more damage than errors on a line can do: the last word is replaced by exactly the right one
  LinkPair pair({.delay = 20});
  pair.bring_up();
  unsigned word = 0;
  pair.cable(0).filter = [&](WireWord& w) {
    if (w.starts(model::kStart)) word = 0;
    if (!w.idle() && word++ == 33) w = {(~w.data & 0xffffff00U) | 0x7cU, 1};
    return true;
  };
  std::mt19937_64 random(1);
  pair.end(0).to_send.push_back(random_packet(random));
  pair.run(300);
  CHECK(pair.end(0).idle());
  CHECK(pair.end(1).received.empty());
  CHECK(pair.read(0, reg::tx_checksum) != pair.read(1, reg::rx_checksum));
  // with one lane alone it is no withdrawn packet
  pair.cable(0).filter = [&](WireWord& w) {
    if (w.starts(model::kStart)) word = 0;
    if (!w.idle() && word++ == 33) w = {(w.data & 0xffffff00U) | 0x7cU, 1};
    return true;
  };
  pair.end(0).to_send.push_back(random_packet(random));
  pair.run(300);
  CHECK(pair.read(1, reg::count_crc_error) > 0);
  CHECK(pair.read(1, reg::count_accepted) == 1);
  pair.cable(0).filter = nullptr;
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 1; }, 5000));
}
