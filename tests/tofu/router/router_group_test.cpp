// SPDX-License-Identifier: Apache-2.0
// Ports of routers keep groups of nodes apart: rtl/tofu/README.md, "Groups".
#include <Vtofu_router_top.h>

#include <catch2/catch.hpp>
#include <set>

#include "sim/tofu/bench/net.hpp"
#include "sw/tofu/registers.hpp"
#include "verif/model/tofu/wire.hpp"

using namespace ht::bench;
using namespace ht::model::tofu;
namespace registers = ht::tofu::registers::icc;

namespace {

const Shape kLine{{3, 1, 1, 1, 1, 1}, {}};

}  // namespace

TEST_CASE("tofu router: a port lets its group pass, and the system, and counts what strays") {
  const bool gate = GENERATE(false, true);
  for (const unsigned port_group : {0U, 1U, 2U, 32U, 63U}) {
    TofuNet net(kLine, 2);
    std::set<std::uint64_t> received;
    net.arrived = [&](unsigned, unsigned, const TofuPacket& p) { received.insert(p.id); };
    const auto send = [&](unsigned from, unsigned to, unsigned group, unsigned beats,
                          std::uint64_t id) {
      TofuPacket p{from, to, 0, 0, id % 3 == 0, beats, id, 0};
      p.kind = gate ? wire::kind::kGate : wire::kind::kPut;
      p.group = group;
      net.send(p, 3);
    };
    net.write(1, registers::port_group(XMinus), port_group);
    CHECK(net.read(1, registers::port_group(XMinus)) == port_group);
    std::set<std::uint64_t> expected;
    // More than buffers hold: those that are dropped give their room back.
    for (std::uint64_t id = 0; id < 256; ++id) {
      const auto group = static_cast<unsigned>(id % 64);
      if (port_group == 0 || group == 0 || group == port_group) expected.insert(id);
      send(0, 2, group, static_cast<unsigned>(id * 7 % 126), id);
    }
    net.drain();
    CAPTURE(gate, port_group);
    CHECK(received == expected);
    CHECK(net.read(1, registers::router_strayed) == 256 - expected.size());
    // It is nobody's error, and other ports and ways know nothing of it.
    CHECK(net.read(1, registers::router_error) == 0);
    CHECK(net.read(1, registers::router_refused) == 0);
    CHECK(net.read(0, registers::router_strayed) + net.read(2, registers::router_strayed) == 0);
    received.clear();
    for (std::uint64_t id = 1; id <= 63; ++id) send(2, 0, static_cast<unsigned>(id), 9, id);
    net.drain();
    CHECK(received.size() == 63);
  }
}

TEST_CASE("tofu router: groups of ports are 0 to 63, one a link") {
  TofuNet net(kLine, 2);
  for (unsigned link = 0; link < 10; ++link) {
    net.write(0, registers::port_group(link), 5 + link);
    CHECK_FALSE(net.try_write(0, registers::port_group(link), 64));
  }
  for (unsigned link = 0; link < 10; ++link)
    CHECK(net.read(0, registers::port_group(link)) == 5 + link);
  CHECK_FALSE(net.try_write(0, registers::port_group(10), 1));
  CHECK_FALSE(net.try_write(0, registers::router_strayed, 1));
}
