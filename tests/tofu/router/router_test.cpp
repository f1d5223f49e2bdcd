// SPDX-License-Identifier: Apache-2.0
// Routers joined by ideal links: everybody is reached, in order, in three cycles a router.
#include <Vtofu_router_top.h>

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <tuple>

#include "sim/tofu/bench/net.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/tofu/router/router_gap.hpp"

using namespace ht::bench;
using namespace ht::test;
using namespace ht::model::tofu;
namespace registers = ht::tofu::registers::icc;

namespace {

unsigned hops(const Shape& shape, const TofuPacket& packet) {
  Journey journey{shape.place(packet.from), shape.place(packet.to), {}, false};
  journey.path[A] = packet.path & 1U;
  journey.path[B] = packet.path >> 1 & 3U;
  journey.path[C] = packet.path >> 3;
  Coordinates here = journey.from;
  unsigned count = 0;
  while (const auto hop = next_hop(shape, here, journey)) {
    journey.leg = hop->leg;
    here = neighbour(shape, here, hop->port).value();
    ++count;
  }
  return count;
}

std::vector<unsigned> paths(const Shape& shape) {
  std::vector<unsigned> list;
  for (unsigned c = 0; c < shape.length[C]; ++c)
    for (unsigned b = 0; b < shape.length[B]; ++b)
      for (unsigned a = 0; a < shape.length[A]; ++a) list.push_back(a | b << 1 | c << 3);
  return list;
}

// Every node sends to every node on every path, several packets, of both classes; checks order.
void everybody_to_everybody(TofuNet& net, unsigned packets) {
  std::uint64_t id = 1, sent = 0;
  for (unsigned from = 0; from < net.shape.nodes(); ++from)
    for (const unsigned path : paths(net.shape))
      for (unsigned i = 0; i < packets; ++i)
        for (unsigned to = 0; to < net.shape.nodes(); ++to) {
          TofuPacket p{from,        to,
                       path,        static_cast<unsigned>(id % 5),
                       id % 3 == 0, static_cast<unsigned>(id * 7 % 11),
                       id,          0};
          // the same stream always by the same interface
          net.send(p, (to + path) % 5);
          ++id, ++sent;
        }
  std::map<std::tuple<unsigned, unsigned, unsigned, bool>, std::uint64_t> last;
  std::uint64_t overtaken = 0, received = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket& p) {
    // Interfaces are other queues: order is promised within one, a class and a path.
    auto& before = last[{p.from, p.to * 8 + p.interface, p.path, p.response}];
    overtaken += p.id <= before ? 1 : 0;
    before = p.id;
    ++received;
  };
  REQUIRE(net.drain());
  CHECK(received == sent);
  CHECK(overtaken == 0);
  for (unsigned node = 0; node < net.shape.nodes(); ++node)
    CHECK(net.read(node, registers::router_error) == 0);
}

}  // namespace

TEST_CASE("tofu router: from every node to every node on every path, in order") {
  for (const Shape& shape : {Shape{{3, 1, 1, 2, 3, 2}, {true, false, false}},
                             Shape{{4, 2, 1, 2, 1, 1}, {true, true, false}},
                             Shape{{1, 3, 2, 1, 3, 1}, {false, false, false}},
                             Shape{{6, 1, 1, 1, 1, 2}, {true, false, false}},
                             Shape{{1, 1, 5, 1, 2, 1}, {false, false, true}}}) {
    INFO(shape.name());
    TofuNet net(shape, 3);
    everybody_to_everybody(net, 1);
  }
}

TEST_CASE(
    "tofu router: three cycles a router, unloaded, with STAGES eight and seven to an interface") {
  const Shape shape{{4, 1, 2, 2, 3, 2}, {true, false, false}};
  constexpr unsigned delay = 2, to_link = router_gap == 0 ? 3 : 8,
                     to_interface = router_gap == 0 ? 3 : 7;
  TofuNet net(shape, delay);
  std::uint64_t at = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { at = net.cycle; };
  std::uint64_t id = 0;
  for (unsigned to : {0U, 1U, 3U, 20U, 47U, 95U})
    for (const unsigned beats : {0U, 5U, 125U}) {
      net.run(5);
      const TofuPacket p{0, to, 5, 0, false, beats, ++id, 0};
      net.send(p, 1);
      const std::uint64_t begin = net.cycle;
      at = 0;
      REQUIRE(net.drain());
      const unsigned n = hops(shape, p);
      // From the cycle of the first beat in to that of the last beat out.
      CHECK(at - begin == to_link * n + to_interface + delay * n + p.length());
    }
}

TEST_CASE("tofu router: packets follow one another without a gap, with STAGES after five cycles") {
  const Shape shape{{2, 1, 1, 1, 1, 1}, {}};
  for (const unsigned beats : {125U, 13U, 1U, 0U}) {
    TofuNet net(shape, 1);
    constexpr unsigned packets = 40;
    for (unsigned i = 0; i < packets; ++i) net.send({0, 1, 0, 2, false, beats, i + 1, 0}, 3);
    std::vector<std::uint64_t> at;
    net.arrived = [&](unsigned, unsigned, const TofuPacket&) { at.push_back(net.cycle); };
    REQUIRE(net.drain());
    REQUIRE(at.size() == packets);
    CHECK(at.back() - at.front() == (packets - 1) * (beats + 3 + router_gap));
    CHECK(net.read(0, registers::router_sent(XPlus)) == packets);
    CHECK(net.read(1, registers::router_sent(13)) == packets);
    CHECK(net.read(1, registers::router_sent(12)) == 0);
  }
}

TEST_CASE("tofu router: a packet that a link has not counted yet is not forgotten") {
  // Node 1 takes nothing; what is left of its buffer is 64 - k units when a packet of 16 follows
  // one of three beats without a gap. The net throws if more is begun than there is room for.
  const Shape shape{{2, 1, 1, 1, 1, 1}, {}};
  for (unsigned first = 0; first <= 62; ++first) {
    TofuNet net(shape, 1);
    bool stalled = true;
    net.takes = [&](unsigned, unsigned, bool) { return !stalled; };
    std::uint64_t id = 0, received = 0;
    net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
    for (unsigned i = 0; i < first; ++i) net.send({0, 1, 0, 0, false, 0, ++id, 0}, 0);
    for (unsigned i = 0; i < 6; ++i) net.send({0, 1, 0, 0, false, i % 2 ? 125U : 0U, ++id, 0}, 0);
    net.run(1500);
    CHECK(received == 0);
    stalled = false;
    REQUIRE(net.drain());
    CHECK(received == id);
  }
}

TEST_CASE("tofu router: the room of a buffer counts a packet whole from its second beat on") {
  // rx_free as tofu_link_receiver takes it: while a packet's last beat comes in, the next one's
  // header is judged.
  const Shape shape{{2, 1, 1, 1, 1, 1}, {}};
  TofuNet net(shape, 1);
  net.takes = [](unsigned, unsigned, bool) { return false; };
  for (std::uint64_t id = 1; id <= 4; ++id) net.send({0, 1, 0, 0, false, 125, id, 0}, 0);
  const auto free = [&] {
    Vtofu_router_top& d = net.router(1);
    const unsigned at = 36 * XMinus + 9;  // channel 1
    const std::uint64_t words = d.rx_free[at / 32] | std::uint64_t{d.rx_free[at / 32 + 1]} << 32;
    return static_cast<unsigned>(words >> at % 32 & 511U);
  };
  std::vector<unsigned> seen{free()};
  std::vector<std::uint64_t> at{0};
  for (unsigned i = 0; i < 1000; ++i) {
    net.step();
    if (free() == seen.back()) continue;
    seen.push_back(free());
    at.push_back(net.cycle);
  }
  REQUIRE(seen == std::vector<unsigned>{511, 384, 256, 128, 0});
  for (unsigned n = 2; n < 5; ++n) CHECK(at[n] - at[n - 1] == 128 + router_gap);
}

TEST_CASE("tofu router: what leads nowhere is dropped with its cause, and the rest goes on") {
  const Shape shape{{3, 1, 1, 2, 2, 1}, {}};
  struct Case {
    const char* what;
    unsigned bit;
    std::function<void(std::uint64_t&, std::uint64_t&)> change;
  };
  const auto to = [](Coordinates place) {
    return [place](std::uint64_t& low, std::uint64_t&) {
      low = (low & ~(0x7FFFFULL << 32)) | std::uint64_t{pack(place)} << 32;
    };
  };
  const auto path = [](std::uint64_t bits) {
    return
        [bits](std::uint64_t& low, std::uint64_t&) { low = (low & ~(15ULL << 51)) | bits << 51; };
  };
  const auto interface = [](std::uint64_t number) {
    return [number](std::uint64_t&, std::uint64_t& high) {
      high = (high & ~(15ULL << 11)) | number << 11;
    };
  };
  const std::vector<Case> cases{
      {"X", 2, to({3, 0, 0, 1, 0, 0})},
      {"Y", 2, to({1, 1, 0, 0, 0, 0})},
      {"Z", 2, to({0, 0, 31, 0, 0, 0})},
      {"B", 2, to({1, 0, 0, 1, 2, 0})},
      {"C", 2, to({0, 0, 0, 0, 0, 1})},
      {"path's B", 2, path(2 << 1)},
      {"path's C", 2, path(8)},
      {"interface 5", 3, interface(5)},
      {"interface 7", 3, interface(7)},
      {"interface 8", 3, interface(8)},
      {"interface 9", 3, interface(9)},
      {"interface 12", 3, interface(12)},
      {"126 beats", 4, [](std::uint64_t& low, std::uint64_t&) { low |= 126ULL << 24; }},
  };
  TofuNet net(shape, 1);
  std::uint64_t received = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
  std::uint64_t id = 0;
  for (const Case& c : cases) {
    INFO(c.what);
    const std::uint64_t wrong = ++id;
    net.alter = [&](const TofuPacket& p, std::uint64_t& low, std::uint64_t& high) {
      if (p.id == wrong) c.change(low, high);
    };
    const unsigned beats = c.bit == 4 ? 126 : 9;
    net.send({1, 5, 0, 0, false, beats, wrong, 0}, 2);
    for (unsigned i = 0; i < 3; ++i) net.send({1, 5, 0, 0, false, 20, ++id, 0}, 2);
    REQUIRE(net.drain());
    CHECK(net.read(1, registers::router_error) == 1U << c.bit);
    net.write(1, registers::router_error, 0xFF);
    CHECK(net.read(1, registers::router_error) == 0);
  }
  CHECK(received == 3 * cases.size());
  CHECK(net.read(1, registers::router_refused) == cases.size());
}

TEST_CASE("tofu router: a refused packet gives its room back") {
  // Node 0 believes in a longer torus: what it sends to x = 2 is refused at x = 1.
  const Shape shape{{2, 1, 1, 1, 1, 1}, {}};
  TofuNet net(shape, 4);
  Shape longer = shape;
  longer.length[X] = 3;
  net.write(0, registers::shape, longer.bits());
  net.alter = [&](const TofuPacket& p, std::uint64_t& low, std::uint64_t&) {
    if (p.id % 2 == 0) low = (low & ~(0x7FFFFULL << 32)) | 2ULL << 32;
  };
  std::uint64_t received = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
  for (std::uint64_t id = 1; id <= 60; ++id) net.send({0, 1, 0, 0, false, 125, id, 0}, 1);
  REQUIRE(net.drain());
  CHECK(received == 30);
  CHECK(net.read(1, registers::router_refused) == 30);
  CHECK(net.read(0, registers::router_error) == 0);
}

TEST_CASE("tofu router: registers") {
  TofuNet net(Shape{{2, 1, 1, 1, 3, 1}, {}}, 1);
  CHECK(net.read(0, registers::id) == 0x544F4655);
  CHECK(net.read(4, registers::coordinates) == 2U << 16);
  CHECK(net.read(0, registers::shape) == (1U | 2U << 16));
  CHECK_FALSE(
      net.try_write(0, registers::shape, 1U | 3U << 16));  // a B ring of four would deadlock
  CHECK(net.read(0, registers::shape) == (1U | 2U << 16));
  CHECK_FALSE(net.try_write(0, registers::id, 0));
  CHECK_FALSE(net.try_write(0, registers::router_sent(3), 0));
  CHECK_FALSE(net.try_write(0, registers::router_inject, 15U | 1U << 4));
  CHECK_FALSE(net.try_write(0, registers::router_inject, 1U << 8 | 1U << 4));
  CHECK_FALSE(net.try_write(0, registers::router_inject, 10U << 4));
  CHECK_THROWS(net.read(0, 0x1F));
  CHECK_THROWS(net.read(0, registers::router_sent_more(0)));
  CHECK_THROWS(net.read(0, 0x3FF));
  net.write(0, registers::router_control, 0xFFFFFFFF);
  CHECK(net.read(0, registers::router_control) == 1);
}
