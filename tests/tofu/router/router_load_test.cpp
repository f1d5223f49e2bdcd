// SPDX-License-Identifier: Apache-2.0
// Routers under load: a saturated machine keeps moving, with damaged packets too; what stalls
// requests stalls neither responses nor barriers; nobody starves.
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "sim/tofu/bench/load.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/tofu/router/router_gap.hpp"
#include "tests/tofu/router/saturate.hpp"

using namespace ht::bench;
using namespace ht::test;
using namespace ht::model::tofu;
namespace registers = ht::tofu::registers::icc;

TEST_CASE("tofu router: a saturated torus keeps moving and loses nothing") {
  TofuNet net(Shape{{3, 1, 1, 2, 3, 2}, {true, false, false}}, 4);
  saturate(net, 3000);
}

TEST_CASE("tofu router: a saturated torus of bad cables keeps moving and loses nothing") {
  TofuNet net(Shape{{4, 2, 1, 1, 3, 1}, {true, false, false}}, 4);
  net.damage = 0.1;
  net.stutter = 0.1;
  saturate(net, 3000);
  CHECK(net.counters.damaged > 100);
  // Some of those bad copies were on their way already, some were not.
  CHECK(net.counters.nullified > 10);
  std::uint64_t dropped = 0, nullified = 0;
  for (unsigned node = 0; node < net.shape.nodes(); ++node) {
    dropped += net.read(node, registers::router_dropped);
    nullified += net.read(node, registers::router_nullified);
  }
  CHECK(dropped > 10);
  CHECK(nullified == net.counters.nullified);
  // Every bad copy ends somewhere: dropped in a buffer, or void at an interface; what is void at a
  // link goes on.
  CHECK(net.counters.damaged == dropped + net.counters.void_arrived);
}

TEST_CASE("tofu router: where requests stall, responses and barriers pass") {
  const Shape shape{{3, 1, 1, 2, 1, 1}, {true, false, false}};
  TofuNet net(shape, 3);
  constexpr unsigned victim = 4;
  bool stalled = true;
  net.takes = [&](unsigned node, unsigned interface, bool response) {
    return !(stalled && node == victim && interface == 1 && !response);
  };
  std::map<bool, std::uint64_t> at_victim;
  std::uint64_t barrier = 0;
  net.arrived = [&](unsigned node, unsigned interface, const TofuPacket& p) {
    if (interface == 4)
      ++barrier;
    else if (node == victim)
      ++at_victim[p.response];
  };
  // Requests until the network is full of them.
  std::uint64_t id = 0;
  const auto send = [&](unsigned from, unsigned interface, bool response, unsigned beats) {
    net.send({from, victim, from % 2, interface, response, beats, ++id, 0}, 2);
  };
  for (unsigned from = 0; from < shape.nodes(); ++from)
    for (unsigned i = 0; i < 40; ++i) send(from, 1, false, 125);
  REQUIRE_FALSE(net.drain());
  CHECK(at_victim[false] == 0);
  CHECK(net.counters.injected < 6 * 40);
  // Behind them, from the same interfaces:
  for (unsigned from = 0; from < shape.nodes(); ++from)
    for (unsigned i = 0; i < 10; ++i) {
      send(from, 1, true, 125);
      send(from, 4, i % 2 == 1, 3);
    }
  net.counters.last_progress = net.cycle;
  while (net.cycle - net.counters.last_progress < 2000) net.step();
  CHECK(at_victim[true] == 6 * 10);
  // Those given as requests wait in their interface behind the other requests, and go no further.
  CHECK(barrier == 6 * 5);
  CHECK(at_victim[false] == 0);
  stalled = false;
  REQUIRE(net.drain());
  CHECK(at_victim[false] == 6 * 40);
  CHECK(barrier == 6 * 10);
}

TEST_CASE("tofu router: who enters a busy line gets a sixteenth of it at least") {
  // Node 0 fills the line to node 2; node 1 wants the same.
  for (const bool in_turn : {false, true}) {
    TofuNet net(Shape{{3, 1, 1, 1, 1, 1}, {}}, 2);
    net.write(1, registers::router_control, in_turn ? 1 : 0);
    std::array<unsigned, 2> from{};
    net.arrived = [&](unsigned, unsigned, const TofuPacket& p) { ++from[p.from]; };
    std::uint64_t id = 0;
    for (unsigned i = 0; i < 10'000; ++i) {
      for (const unsigned node : {0U, 1U})
        if (net.to_send(node, 0, false).size() < 2)
          net.send({node, 2, 0, 0, false, 17, ++id, 0}, 0);
      net.step();
    }
    constexpr unsigned most = 10'000 / (17 + 3 + router_gap);
    CHECK(from[0] + from[1] > most * 9 / 10);
    if (in_turn)
      CHECK(from[0] < from[1] + 10);
    else
      CHECK((from[1] * 15 > from[0] && from[1] * 14 < from[0]));
    if (!in_turn) CHECK(from[1] > most / 20);
  }
}
