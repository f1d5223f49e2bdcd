// SPDX-License-Identifier: Apache-2.0
// What a link's registers take, what they refuse, and how counters are cleared.
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"

using namespace ht::test;

TEST_CASE("link: registers refuse what they should") {
  LinkPair pair({.delay = 20});
  bool refused = false;
  for (const unsigned address : {0x0fU, 0x22U, 0x2bU, 0x2eU, 0x3fU}) {
    pair.read(0, address, &refused);
    CHECK(refused);
  }
  const std::vector<LinkPair::Register> read_only = {
      reg::status, reg::peer, reg::peer_epoch, reg::tx_checksum, reg::rx_checksum, reg::count_sent};
  for (const auto r : read_only) {
    pair.write(0, r, 0xffffffffU, &refused);
    CHECK(refused);
    CHECK(pair.read(0, r) == 0);
  }
  for (const auto r :
       {reg::node, reg::epoch, reg::ack_timeout, reg::retry_limit, reg::retrain_limit,
        reg::train_timeout, reg::busy_probe, reg::alive_timeout}) {
    pair.write(0, r, 0xffffffffU);
    const auto ones = pair.read(0, r);
    CHECK(ones != 0);
    pair.write(0, r, 0x5a5a5a5aU);
    CHECK(pair.read(0, r) == (0x5a5a5a5aU & ones));
  }
  LinkPair fresh({.delay = 20});
  fresh.bring_up();
  CHECK(fresh.read(0, reg::ack_timeout) == 1024);
  CHECK(fresh.read(0, reg::retry_limit) == 16);
  CHECK(fresh.read(0, reg::retrain_limit) == 8);
  CHECK(fresh.read(0, reg::train_timeout) == 1U << 20);
  for (const auto r : {reg::node, reg::epoch}) {
    const auto before = fresh.read(0, r);
    fresh.write(0, r, 99, &refused);
    CHECK(refused);
    CHECK(fresh.read(0, r) == before);
  }
  CHECK(fresh.end(0).up());
  CHECK(fresh.end(1).up());
}

TEST_CASE("link: counters are cleared on request") {
  LinkPair pair({.delay = 20});
  pair.bring_up();
  Traffic traffic(pair, 16);
  traffic.queue({10, 0});
  traffic.settle(5000);
  const auto sum = pair.read(0, reg::tx_checksum);
  CHECK(pair.read(0, reg::count_sent) == 10);
  pair.write(0, reg::ack_timeout, 2222);
  pair.write(0, reg::control, 5);
  CHECK(pair.read(0, reg::ack_timeout) == 2222);
  CHECK(pair.read(0, reg::busy_probe) == 0x4000);
  CHECK(pair.read(0, reg::count_sent) == 0);
  CHECK(pair.read(0, reg::count_acknowledged) == 0);
  CHECK(pair.read(0, reg::tx_checksum) == sum);
  CHECK(pair.end(0).up());
}
