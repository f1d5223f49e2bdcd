// SPDX-License-Identifier: Apache-2.0
// Back-pressure: channels do not block one another while each holds no more than its reserved
// slots; beyond that BUSY holds the link until READY, without replays and without retries.
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"

using namespace ht::test;

namespace {

void send(LinkPair& pair, unsigned vc, unsigned count, std::mt19937_64& random) {
  for (unsigned n = 0; n < count; ++n) {
    Packet p = random_packet(random);
    p.vc = vc;
    pair.end(0).to_send.push_back(p);
  }
}

}  // namespace

TEST_CASE("link: a channel's backlog of two packets blocks nobody") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  pair.end(1).rx_enabled = 0x80;
  std::mt19937_64 random(1);
  for (unsigned vc = 0; vc < 7; ++vc) send(pair, vc, 2, random);
  send(pair, 7, 20, random);
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 20; }, 3000));
  pair.run(200);
  CHECK(pair.read(1, reg::count_busy_sent) == 0);
  CHECK(pair.end(0).idle());
  pair.end(1).rx_enabled = 0xff;
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 34; }, 3000));
}

TEST_CASE("link: slots that are freed are free, whatever the ratio of the clocks") {
  struct Clocks {
    unsigned core, link;  ///< periods, ps
  };
  const Clocks clocks = GENERATE(Clocks{4800, 4000}, Clocks{1700, 4000}, Clocks{4000, 20000},
                                 Clocks{2000, 20000}, Clocks{12000, 1000}, Clocks{30000, 1000});
  CAPTURE(clocks.core, clocks.link);
  LinkPair pair({.delay = 10, .core_period_ps = clocks.core, .link_period_ps = clocks.link});
  pair.bring_up();
  std::mt19937_64 random(7);
  constexpr std::size_t slots = 2, channels = 8;
  for (std::size_t round = 1; round <= 12; ++round) {
    pair.end(1).rx_enabled = 0;
    for (unsigned vc = 0; vc < channels; ++vc) send(pair, vc, slots, random);
    pair.run(4000 + 100 * clocks.core / clocks.link);
    pair.end(1).rx_enabled = 0xff;
    REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == round * slots * channels; },
                           40000));
  }
  CHECK(pair.read(1, reg::count_busy_sent) == 0);
}

TEST_CASE("link: BUSY holds, READY lets go") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  pair.end(1).rx_enabled = 0xfe;
  std::mt19937_64 random(2);
  send(pair, 0, 3, random);
  send(pair, 1, 5, random);
  pair.run(10000);  // many ACK timeouts long, less than a probe
  CHECK(pair.end(1).received.empty());
  CHECK(pair.read(1, reg::count_accepted) == 2);
  CHECK(pair.read(1, reg::count_busy_sent) == 1);
  CHECK(pair.read(0, reg::count_busy_received) == 1);
  CHECK(pair.read(0, reg::count_timeout) == 0);
  CHECK(pair.read(0, reg::count_retransmitted) == 0);
  CHECK(reg::status_held.get(pair.read(0, reg::status)) == 1);
  CHECK(reg::status_refusing.get(pair.read(1, reg::status)) == 1);
  CHECK_FALSE(pair.end(0).idle());

  // another 20,000 cycles: one probe, answered with BUSY
  pair.run(20000);
  CHECK(pair.read(0, reg::count_replayed) == 1);
  CHECK(pair.read(0, reg::count_busy_received) == 2);
  CHECK(pair.read(1, reg::count_refused) == 2);

  pair.end(1).rx_enabled = 0xff;
  const auto before = pair.cycles();
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 8; }, 1000));
  CHECK(pair.cycles() - before < 500);  // READY, not a timeout, let it go on
  pair.run(300);
  CHECK(pair.end(0).idle());
  CHECK(pair.read(0, reg::count_timeout) == 0);
  CHECK(pair.read(0, reg::count_nack_received) == 0);
  CHECK(pair.read(0, reg::count_retrain) == 0);
  CHECK(pair.read(0, reg::count_acknowledged) == 8);
}

TEST_CASE("link: a receiver that refuses for long never uses up the retries") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  pair.write(0, reg::busy_probe, 512);
  pair.end(1).rx_enabled = 0;
  std::mt19937_64 random(3);
  send(pair, 5, 6, random);
  pair.run(50000);  // about 90 probes, retry limit 16
  CHECK(pair.read(0, reg::count_busy_received) > 60);
  CHECK(pair.read(0, reg::count_retrain) == 0);
  CHECK(pair.read(0, reg::error) == 0);
  pair.end(1).rx_enabled = 0xff;
  REQUIRE(pair.run_until([&] { return pair.end(1).received.size() == 6; }, 2000));
}

TEST_CASE("link: random readers, all channels, both ways") {
  for (unsigned trial = 0; trial < 12; ++trial) {
    LinkPair pair({.delay = 10 + 7 * trial, .seed = trial});
    INFO("trial " << trial);
    pair.bring_up();
    std::mt19937_64 random(trial);
    pair.every = [&] {
      if (pair.cycles() % 64 != 0) return;
      for (int i = 0; i < 2; ++i) {
        pair.end(i).rx_enabled = static_cast<unsigned>(random() & random() & 0xffU);
        pair.end(i).rx_eagerness = trial % 2 == 0 ? 0.1 : 1.0;
      }
    };
    Traffic traffic(pair, trial);
    traffic.queue({200, 200}, trial % 3 == 0 ? 8 : 2);
    traffic.settle(400000);
    traffic.check_counters();
    CHECK(pair.read(0, reg::count_busy_sent) + pair.read(1, reg::count_busy_sent) > 0);
    for (int i = 0; i < 2; ++i) {
      CHECK(pair.read(i, reg::count_timeout) == 0);
      CHECK(pair.read(i, reg::count_nack_sent) == 0);
      CHECK(pair.read(i, reg::count_crc_error) == 0);
      // What is sent again on a sound cable was refused: none of it is damage.
      CHECK(pair.read(i, reg::count_retransmitted) == 0);
      CHECK((pair.read(i, reg::count_replayed) > 0) ==
            (pair.read(i, reg::count_busy_received) > 0));
    }
  }
}
