// SPDX-License-Identifier: Apache-2.0
// Routers of 22 ports, TofuD's: six network interfaces and six barrier interfaces a node.
#include <Vtofu_router_wide.h>

#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "sim/tofu/bench/net_impl.hpp"
#include "sw/tofu/registers.hpp"

template class ht::bench::RouterNet<Vtofu_router_wide>;

using namespace ht::bench;
using namespace ht::model::tofu;
namespace registers = ht::tofu::registers::icc;

namespace {

using WideNet = RouterNet<Vtofu_router_wide>;
constexpr unsigned kNetworks = WideNet::networks, kAll = WideNet::interfaces;
constexpr unsigned kFirstBarrier = 10, kFirstNetwork = 16;  // ports
const Shape kLine{{3, 1, 1, 1, 1, 1}, {}};

unsigned port_of(unsigned interface) {
  return interface < kNetworks ? kFirstNetwork + interface : kFirstBarrier + interface - kNetworks;
}
std::uint32_t sent(WideNet& net, unsigned node, unsigned port) {
  return net.read(
      node, port < 15 ? registers::router_sent(port) : registers::router_sent_more(port - 15));
}
void inject(WideNet& net, unsigned node, unsigned port, unsigned kind) {
  net.write(node, registers::router_inject, (port & 15U) | (port >> 4) << 8 | kind << 4);
}

}  // namespace

TEST_CASE("tofu router, 22 ports: from every interface to every interface, in order") {
  for (const Shape& shape :
       {Shape{{2, 1, 1, 2, 3, 2}, {}}, Shape{{4, 2, 1, 1, 1, 1}, {true, true, false}}}) {
    INFO(shape.name());
    WideNet net(shape, 3);
    std::uint64_t id = 0;
    std::map<std::tuple<unsigned, unsigned>, std::uint64_t> expected;  // by node and interface
    for (unsigned round = 0; round < 3; ++round)
      for (unsigned from = 0; from < shape.nodes(); ++from)
        for (unsigned by = 0; by < kAll; ++by)
          for (unsigned interface = 0; interface < kAll; ++interface) {
            ++id;
            const unsigned to = static_cast<unsigned>((from + by + interface) % shape.nodes());
            net.send({from, to, 0, interface, id % 3 == 0, static_cast<unsigned>(id * 7 % 11), id},
                     by);
            ++expected[{to, interface}];
          }
    std::map<std::tuple<unsigned, unsigned>, std::uint64_t> received;
    std::map<std::tuple<unsigned, unsigned, unsigned, unsigned, bool>, std::uint64_t> last;
    std::uint64_t overtaken = 0;
    net.arrived = [&](unsigned node, unsigned interface, const TofuPacket& p) {
      ++received[{node, interface}];
      auto& before = last[{p.from, p.source, p.to, p.interface, p.response}];
      overtaken += p.id <= before ? 1 : 0;
      before = p.id;
      // What goes to barrier gates is a response, whatever it said.
      if (interface >= kNetworks) overtaken += p.response ? 0 : 1;
    };
    REQUIRE(net.drain());
    CHECK(received == expected);
    CHECK(overtaken == 0);
    for (unsigned node = 0; node < shape.nodes(); ++node) {
      CHECK(net.read(node, registers::router_error) == 0);
      for (unsigned i = 0; i < kAll; ++i)
        CHECK(sent(net, node, port_of(i)) == expected[std::tuple(node, i)]);
    }
  }
}

TEST_CASE("tofu router, 22 ports: three cycles a router, unloaded") {
  constexpr unsigned delay = 2, routers = 3;
  WideNet net(kLine, delay);
  std::uint64_t at = 0, id = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { at = net.cycle; };
  for (unsigned by = 0; by < kAll; ++by) {
    net.run(5);
    const TofuPacket p{0, 2, 0, kAll - 1 - by, false, by * 9, ++id};
    net.send(p, by);
    const std::uint64_t begin = net.cycle;
    REQUIRE(net.drain());
    CHECK(at - begin == 3 * routers + delay * (routers - 1) + p.length());
  }
}

TEST_CASE("tofu router, 22 ports: codes of interfaces that there are not are refused") {
  for (const std::uint64_t code : {7U, 8U, 14U, 15U}) {
    INFO(code);
    WideNet net(kLine, 1);
    std::uint64_t received = 0;
    net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
    net.alter = [&](const TofuPacket& p, std::uint64_t&, std::uint64_t& high) {
      if (p.id == 1) high = (high & ~(15ULL << 11)) | code << 11;
    };
    for (std::uint64_t id = 1; id <= 3; ++id) net.send({1, 2, 0, 5, false, 9, id}, 4);
    REQUIRE(net.drain());
    CHECK(net.read(1, registers::router_error) == 1U << 3);
    CHECK(received == 2);
  }
}

TEST_CASE("tofu router, 22 ports: soft errors strike the port that is named, and no other") {
  constexpr unsigned one_bit = 1, input_state = 4;
  WideNet net(kLine, 2);
  std::uint64_t received = 0, id = 0;
  net.arrived = [&](unsigned, unsigned, const TofuPacket&) { ++received; };
  for (unsigned by = 0; by < kAll; ++by) {
    INFO(by);
    inject(net, 0, port_of(by), one_bit);
    net.send({0, 1, 0, 0, false, 8, ++id}, (by + 1) % kAll);
    REQUIRE(net.drain());
    CHECK(net.read(0, registers::router_error) == 0);
    net.send({0, 1, 0, 0, false, 8, ++id}, by);
    REQUIRE(net.drain());
    CHECK(net.read(0, registers::router_error) == 1);
    net.write(0, registers::router_error, 1);
  }
  CHECK(received == 2 * kAll);
  CHECK_FALSE(net.try_write(0, registers::router_inject, 6U | 1U << 8 | one_bit << 4));
  CHECK_FALSE(net.try_write(0, registers::router_inject, 15U | 1U << 8 | one_bit << 4));
  inject(net, 0, 21, input_state);
  net.run(5);
  CHECK(net.read(0, registers::router_status) == 1);
}

TEST_CASE("tofu router, 22 ports: no head is overtaken for ever") {
  // All interfaces of both neighbours, and of the node itself, send long packets to one interface.
  WideNet net(kLine, 2);
  std::map<std::tuple<unsigned, unsigned>, std::uint64_t> since, longest;
  net.arrived = [&](unsigned, unsigned, const TofuPacket& p) {
    for (auto& [whose, count] : since)
      longest[whose] =
          std::max(longest[whose], whose == std::tuple(p.from, p.source) ? 0 : ++count);
    since[{p.from, p.source}] = 0;
  };
  std::uint64_t id = 0;
  for (unsigned cycle = 0; cycle < 60'000; ++cycle) {
    for (unsigned from = 0; from < 3; ++from)
      for (unsigned by = 0; by < kAll; ++by) {
        since[{from, by}];
        for (const bool response : {false, true})
          if (net.to_send(from, by, response).empty())
            net.send({from, 1, 0, 5, response, static_cast<unsigned>(id % 20), ++id}, by);
      }
    net.step();
  }
  REQUIRE(net.counters.delivered > 3'000);
  // At each of two outputs on the way at most 64 heads' patience of 16 packets.
  for (const auto& [whose, count] : longest) CHECK(count < 2 * 64 * 16);
  CHECK(longest.size() == 3 * kAll);
}
