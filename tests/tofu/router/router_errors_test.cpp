// SPDX-License-Identifier: Apache-2.0
// Soft errors in a router, void packets, and new sessions of a link.
#include <Vtofu_router_top.h>

#include <catch2/catch.hpp>

#include "sim/tofu/bench/net.hpp"
#include "sw/tofu/registers.hpp"

using namespace ht::bench;
using namespace ht::model::tofu;
namespace registers = ht::tofu::registers::icc;

namespace {

const Shape kLine{{3, 1, 1, 1, 1, 1}, {}};

// ROUTER_INJECT
enum Kind : unsigned {
  OneBit = 1,
  TwoBits,
  RouteOneBit,
  InputState,
  OutputState,
  RouteTwoBits,
  Put,
  Take,
  Credit
};
void inject(TofuNet& net, unsigned node, unsigned port, Kind kind) {
  net.write(node, registers::router_inject, port | kind << 4);
}

}  // namespace

TEST_CASE("tofu router: a wrong bit is corrected and reported") {
  TofuNet net(kLine, 2);
  std::uint64_t received = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };  // contents are checked
  // Node 1's input from node 0, and node 0's interface 3.
  for (const auto& [node, port] : {std::pair{1U, 1U}, std::pair{0U, 14U}}) {
    for (const Kind kind : {OneBit, RouteOneBit}) {
      INFO(port << " " << kind);
      inject(net, node, port, kind);
      net.send({0, 2, 0, 0, false, 8, 1, 0}, 3);
      REQUIRE(net.drain());
      CHECK(net.read(node, registers::router_error) == 1);
      net.write(node, registers::router_error, 1);
      CHECK(net.read(node, registers::router_error) == 0);
    }
  }
  CHECK(received == 4);
  CHECK(net.read(2, registers::router_error) == 0);
}

TEST_CASE("tofu router: two wrong bits make a packet void, and only that one") {
  TofuNet net(kLine, 2);
  std::vector<std::uint64_t> received;
  net.arrived = [&](unsigned, unsigned, const TofuPacket& p) { received.push_back(p.id); };
  inject(net, 1, XMinus, TwoBits);
  for (std::uint64_t id = 1; id <= 4; ++id) net.send({0, 2, 0, 0, false, 40, id, 0}, 3);
  REQUIRE(net.drain());
  CHECK(received == std::vector<std::uint64_t>{2, 3, 4});
  CHECK(net.read(1, registers::router_error) == 2);
  CHECK(net.read(1, registers::router_nullified) == 1);
  CHECK(net.counters.void_arrived == 1);
  CHECK(net.read(1, registers::router_status) == 0);
}

TEST_CASE("tofu router: a fault blocks every output until reset") {
  struct Case {
    unsigned port;
    Kind kind;
    unsigned cause;
  };
  for (const Case& c :
       {Case{XMinus, RouteTwoBits, 6}, Case{XMinus, Put, 6}, Case{XMinus, Take, 6},
        Case{12, Put, 6}, Case{12, Take, 6}, Case{12, Credit, 6}, Case{XMinus, InputState, 7},
        Case{XPlus, OutputState, 7}, Case{10, InputState, 7}, Case{12, OutputState, 7}}) {
    INFO(c.port << " " << c.kind);
    TofuNet net(kLine, 2);
    std::uint64_t received = 0;
    net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
    net.send({0, 2, 0, 0, false, 40, 1, 0}, 3);
    REQUIRE(net.drain());
    REQUIRE(received == 1);
    inject(net, 1, c.port, c.kind);
    net.send({0, 2, 0, 0, false, 40, 2, 0}, 3);
    net.send({2, 1, 0, 0, false, 40, 3, 0}, 3);
    CHECK_FALSE(net.drain());
    CHECK(received == 1);
    CHECK((net.read(1, registers::router_error) & 1U << c.cause) != 0);
    CHECK(net.read(1, registers::router_status) == 1);
    CHECK((net.router(1).fault && net.router(1).attention));
    CHECK(net.router(1).tx_valid == 0);
    CHECK(net.router(1).ej_valid == 0);
    // Errors are cleared by writing, a fault is not.
    net.write(1, registers::router_error, 0xFF);
    CHECK(net.read(1, registers::router_status) == 1);
    CHECK(net.read(2, registers::router_status) == 0);
  }
}

TEST_CASE("tofu router: a wrong parity bit of a beat is a fault") {
  TofuNet net(kLine, 2);
  net.send({0, 2, 0, 0, false, 40, 1, 0}, 3);
  net.wrong_parity = true;
  CHECK_FALSE(net.drain());
  CHECK((net.read(0, registers::router_error) & 1U << 6) != 0);
  CHECK(net.read(0, registers::router_status) == 1);
}

TEST_CASE("tofu router: bad packets are dropped where they wait") {
  // Node 2 takes nothing, so what comes to node 1 waits there; all of it twice, the first copy bad.
  TofuNet net(kLine, 2);
  bool stalled = true;
  net.takes = [&](unsigned node, unsigned, bool) { return node != 2 || !stalled; };
  std::uint64_t received = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
  net.damage = 1;
  for (std::uint64_t id = 1; id <= 12; ++id) net.send({0, 2, 0, 0, false, 125, id, 0}, 3);
  REQUIRE_FALSE(net.drain());
  CHECK(received == 0);
  const std::uint64_t dropped =
      net.read(1, registers::router_dropped) + net.read(2, registers::router_dropped);
  // Four wait at node 2 and four at node 1, each after a bad copy. Only copies sent on while they
  // came went further.
  CHECK(dropped >= 6);
  stalled = false;
  REQUIRE(net.drain());
  CHECK(received == 12);
}

TEST_CASE("tofu router: a new session counts credits anew, and packets held are delivered") {
  TofuNet net(kLine, 2);
  bool stalled = true;
  net.takes = [&](unsigned node, unsigned, bool) { return node != 1 || !stalled; };
  std::uint64_t received = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
  std::uint64_t id = 0;
  const auto send = [&](unsigned packets, unsigned beats) {
    for (unsigned i = 0; i < packets; ++i) net.send({0, 1, 0, 0, false, beats, ++id, 0}, 0);
  };
  for (unsigned round = 0; round < 5; ++round) {
    stalled = true;
    send(2 + round, 21 * round + 5);  // up to 4 x 12 units: all of it lies in node 1's buffer
    for (unsigned i = 0; i < 1500; ++i) net.step();
    if (round < 3) CHECK(net.to_send(0, 0, false).empty());
    net.new_session(1, XMinus);
    stalled = false;
    // The net throws if more is said to be free than was taken; and if less is, this does not end.
    REQUIRE(net.drain());
    send(40, 125);
    REQUIRE(net.drain());
  }
  CHECK(received == id);
}

TEST_CASE("tofu router: a new session in any cycle while held packets leave") {
  for (unsigned after = 0; after < 60; ++after) {
    INFO(after << " cycles after the first could leave");
    TofuNet net(kLine, 2);
    bool stalled = true;
    net.takes = [&](unsigned node, unsigned, bool) { return node != 1 || !stalled; };
    std::uint64_t id = 0, received = 0;
    net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
    for (unsigned i = 0; i < 3; ++i) net.send({0, 1, 0, 0, false, 9, ++id, 0}, 0);
    net.run(200);
    stalled = false;
    net.run(after);
    net.new_session(1, XMinus);
    REQUIRE(net.drain());
    // Four buffers full: what a session lost of its credits would stop them.
    for (unsigned i = 0; i < 16; ++i) net.send({0, 1, 0, 0, false, 125, ++id, 0}, 0);
    REQUIRE(net.drain());
    CHECK(received == id);
  }
}
