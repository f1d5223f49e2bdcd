// SPDX-License-Identifier: Apache-2.0
// obs_idle tells the truth: while it is 1 and the inputs are idle nothing changes, so that cycles
// may be left out without any effect on what comes later. (Time is an input, which does not change
// here: machine_test leaves out cycles of a machine whose links are told of time.)
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"

using namespace ht::test;

namespace {

/// Link cycles after which both clocks are where they were (6 x 4000 ps = 5 x 4800 ps).
constexpr unsigned kPeriod = 6;

void busy(LinkPair& pair, unsigned trial) {
  pair.cable(0).damage = pair.cable(1).damage = {.flip = 2e-4, .error_lane = 1e-4};
  Traffic traffic(pair, trial);
  traffic.queue({20 + trial, 30});
  REQUIRE(pair.run_until([&] { return traffic.finished(); }, 100000));
  pair.cable(0).damage = pair.cable(1).damage = {};
}

}  // namespace

TEST_CASE("link: 16 idle cycles, then nothing changes") {
  for (unsigned trial = 0; trial < 10; ++trial) {
    LinkPair pair(still_options(trial));
    INFO("trial " << trial);
    SECTION("down") {}
    SECTION("up, nothing sent yet") {
      pair.bring_up();
    }
    SECTION("up, after traffic with errors") {
      pair.bring_up();
      busy(pair, trial);
    }
    SECTION("up, packets waiting for a reader") {
      pair.bring_up();
      busy(pair, trial);
      pair.end(1).rx_enabled = 0;
      std::mt19937_64 random(trial);
      Packet p = random_packet(random);
      pair.end(0).to_send.push_back(p);
      pair.run(200);
      CHECK(pair.end(1).waiting() == 1U << p.vc);
    }
    SECTION("down, with packets waiting to be sent") {
      pair.bring_up();
      pair.write(0, reg::control, 0);
      std::mt19937_64 random(trial);
      pair.end(0).to_send.push_back(random_packet(random));
      pair.write(1, reg::control, 0);
    }
    REQUIRE(pair.run_until([&] { return pair.end(0).idle() && pair.end(1).idle(); }, 20000));
    unsigned still = 0;
    pair.every = [&] { still = pair.end(0).idle() && pair.end(1).idle() ? still + 1 : 0; };
    REQUIRE(pair.run_until([&] { return still >= 16; }, 2000));
    const auto before = std::array{pair.end(0).outputs(), pair.end(1).outputs()};
    for (int n = 0; n < 500; ++n) {
      pair.run(1);
      const auto now = std::array{pair.end(0).outputs(), pair.end(1).outputs()};
      REQUIRE(now == before);
      REQUIRE(still >= 16);
    }
  }
}

TEST_CASE("link: idle cycles may be skipped") {
  // Two pairs live the same life; one of them sits through idle cycles that the other leaves out.
  for (unsigned trial = 0; trial < 20; ++trial) {
    LinkPair sits(still_options(trial));
    LinkPair skips(still_options(trial));
    INFO("trial " << trial);
    for (LinkPair* p : {&sits, &skips}) {
      p->bring_up();
      busy(*p, trial);
      p->run(16 + 200);
      REQUIRE(p->end(0).idle());
      REQUIRE(p->end(1).idle());
    }
    REQUIRE(sits.cycles() == skips.cycles());
    sits.run(kPeriod * (1 + 37 * trial));
    for (LinkPair* p : {&sits, &skips}) {
      std::mt19937_64 random(trial + 1);
      // damage at chosen words, so that both see the same
      unsigned words = 0;
      p->cable(0).filter = [words](WireWord& w) mutable {
        if (!w.idle() && ++words % 97 == 50) w.data ^= 0x10U;
        return true;
      };
      for (int n = 0; n < 40; ++n) {
        p->end(0).to_send.push_back(random_packet(random));
        p->end(1).to_send.push_back(random_packet(random));
      }
      p->end(1).rx_enabled = 0x3f;
    }
    for (int n = 0; n < 6000; ++n) {
      sits.run(1);
      skips.run(1);
      if (n == 3000) sits.end(1).rx_enabled = skips.end(1).rx_enabled = 0xff;
      REQUIRE(sits.end(0).outputs() == skips.end(0).outputs());
      REQUIRE(sits.end(1).outputs() == skips.end(1).outputs());
    }
    CHECK(sits.end(1).received.size() == skips.end(1).received.size());
  }
}

TEST_CASE("link: what waits is not idle") {
  LinkPair pair({.delay = 30});
  pair.bring_up();
  pair.run(200);
  REQUIRE(pair.end(0).idle());
  std::mt19937_64 random(1);

  SECTION("unacknowledged") {
    pair.cable(0).pulled = pair.cable(0).silent = true;
    pair.end(0).to_send.push_back(random_packet(random));
    pair.run(100);
    for (int n = 0; n < 500; ++n) {
      pair.run(1);
      REQUIRE_FALSE(pair.end(0).idle());
    }
  }
  SECTION("held by BUSY") {
    pair.end(1).rx_enabled = 0;
    for (int n = 0; n < 4; ++n) {
      Packet p = random_packet(random);
      p.vc = 2;
      pair.end(0).to_send.push_back(p);
    }
    pair.run(400);
    for (int n = 0; n < 500; ++n) {
      pair.run(1);
      REQUIRE_FALSE(pair.end(0).idle());
    }
  }
  SECTION("training") {
    pair.cable(0).pulled = pair.cable(1).pulled = true;
    pair.run(150);
    for (int n = 0; n < 500; ++n) {
      pair.run(1);
      REQUIRE_FALSE(pair.end(0).idle());
      REQUIRE_FALSE(pair.end(1).idle());
    }
  }
}
