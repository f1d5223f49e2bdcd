// SPDX-License-Identifier: Apache-2.0
// The smallest interconnect controllers, Verilated, two of them with their only links joined: they
// do what larger ones do with it, and refuse what they do not have.
#include <array>
#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/registers.hpp"
#include "sw/tofu/utofu/utofu_pattern.hpp"
#include "tests/tofu/machine/small_machine.hpp"
#include "tests/tofu/sw/utofu_onesided.h"

using namespace ht;
using machine::SmallTofuMachine;
using machine::TofuMachineOptions;

namespace {

constexpr int ranks = 2;
constexpr std::uint32_t link_a = 6;

/// Two nodes along A, whose link is the one that is there.
TofuMachineOptions two_nodes() {
  TofuMachineOptions o;
  o.shape = {{1, 1, 1, 2, 1, 1}, {true, true, true}};
  o.kernel.threads = 1;
  o.driver.profile.interfaces = 1;
  o.driver.profile.gates = 16;
  return o;
}

/// What is wrong on the cables is found, and so is what a node has to report.
void check_cables(SmallTofuMachine& m) {
  const sim::ErrorTotals errors = m.close_ledgers();
  CHECK(errors.undetected == 0);
  CHECK(errors.balanced());
}

int ended(int rc, const std::function<int()>& poll) {
  REQUIRE(rc == UTOFU_SUCCESS);
  do rc = poll();
  while (rc == UTOFU_ERR_NOT_COMPLETED);
  return rc;
}

}  // namespace

TEST_CASE("the smallest controller: puts, gets and atomics of several packets, over a bad cable") {
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{12'345}}) {
    INFO(bytes << " bytes");
    TofuMachineOptions options = two_nodes();
    options.errors.bit_error_rate = 1e-6;
    SmallTofuMachine m(options);
    std::vector<utofu_onesided_ends> ends(ranks);
    std::vector<std::array<std::uint64_t, 2>> tickets(ranks);
    m.run_everywhere([&](qmp::Transport& transport, int) {
      const qmp::Node node(transport);
      const auto interface = m.open_interface(transport);
      const auto all = [](void* t) {
        static_cast<qmp::Transport*>(t)->global_signals()->signal_barrier();
      };
      const auto rank = static_cast<std::size_t>(transport.rank());
      CHECK(utofu_onesided(transport.rank(), ranks, bytes, ends.data(), all, &transport,
                           tickets[rank].data()) == 0);
    });
    std::set<std::uint64_t> drawn;
    for (const auto& two : tickets) drawn.insert(two.begin(), two.end());
    CHECK(drawn == std::set<std::uint64_t>{0, 1, 2, 3});
    check_cables(m);
  }
}

TEST_CASE("the smallest controller: barriers, and reductions of whole numbers") {
  const auto algorithm = GENERATE(tofu::Algorithm::RecursiveDoubling, tofu::Algorithm::DoubleRing);
  SmallTofuMachine m(two_nodes());
  std::vector<std::vector<utofu_vbg_id_t>> ids(ranks);
  m.run_everywhere([&](qmp::Transport& transport, int) {
    const qmp::Node node(transport);
    const auto interface = m.open_interface(transport);
    const auto rank = static_cast<std::size_t>(transport.rank());
    const tofu::BarrierPattern pattern(algorithm, ranks);
    auto& own = ids[rank];
    own.resize(pattern.gates(transport.rank()).size());
    REQUIRE(utofu_alloc_vbg(0, own.size(), 0, own.data()) == UTOFU_SUCCESS);
    transport.global_signals()->signal_barrier();
    auto wiring = settings(pattern, transport.rank(), ids);
    REQUIRE(utofu_set_vbg(wiring.data(), wiring.size()) == UTOFU_SUCCESS);
    transport.global_signals()->signal_barrier();
    constexpr std::array<std::uint64_t, ranks> given{0xF0F0'0000'0000'1234, 0xFF00'0000'FFFF'FF00};
    const auto reduce = [&](utofu_reduce_op op) {
      std::uint64_t mine = given[rank], got = 0;
      CHECK(ended(utofu_reduce_uint64(own[0], op, &mine, 1, 0),
                  [&] { return utofu_poll_reduce_uint64(own[0], 0, &got); }) == UTOFU_SUCCESS);
      return got;
    };
    CHECK(reduce(UTOFU_REDUCE_OP_SUM) == given[0] + given[1]);
    CHECK(reduce(UTOFU_REDUCE_OP_MAX) == given[1]);
    CHECK(reduce(UTOFU_REDUCE_OP_BAND) == (given[0] & given[1]));
    CHECK(reduce(UTOFU_REDUCE_OP_BOR) == (given[0] | given[1]));
    CHECK(reduce(UTOFU_REDUCE_OP_BXOR) == (given[0] ^ given[1]));
    for (int i = 0; i < 5; ++i) transport.global_signals()->signal_barrier();
    CHECK(utofu_free_vbg(own.data(), own.size()) == UTOFU_SUCCESS);
  });
  check_cables(m);
}

TEST_CASE("the smallest controller: its place lies in the torus, and stays while links are up") {
  namespace icc = tofu::registers::icc;
  TofuMachineOptions options = two_nodes();
  options.messages = false;
  SmallTofuMachine m(options);
  m.run([&](tofu::Transport& t) {
    host::HardwarePort& port = t.port();
    const std::uint32_t place = port.read_register(icc::coordinates);
    const std::uint32_t shape = port.read_register(icc::shape);
    const auto unchanged = [&] {
      CHECK(port.read_register(icc::coordinates) == place);
      CHECK(port.read_register(icc::shape) == shape);
    };
    CHECK(place == t.place().coordinates().address());
    // Nodes 0 and 1 along A; the link is up.
    CHECK_THROWS(port.write_register(icc::coordinates, place ^ icc::coordinates_a.mask));
    CHECK_THROWS(port.write_register(icc::coordinates, place));
    CHECK_THROWS(port.write_register(icc::shape, shape));
    unchanged();
    t.links().take_down();
    for (const auto& axis : {icc::coordinates_x, icc::coordinates_y, icc::coordinates_z,
                             icc::coordinates_b, icc::coordinates_c})
      CHECK_THROWS(port.write_register(icc::coordinates, place | axis.put(1)));
    unchanged();
    port.write_register(icc::coordinates, place ^ icc::coordinates_a.mask);
    port.write_register(icc::coordinates, place);
    port.write_register(icc::shape, shape);
    unchanged();
    // A torus without this node's place is none either.
    port.write_register(icc::coordinates, place | icc::coordinates_a.mask);
    CHECK_THROWS(port.write_register(icc::shape, shape & ~icc::shape_last_a.mask));
    CHECK(port.read_register(icc::shape) == shape);
    port.write_register(icc::coordinates, place);
  });
}

TEST_CASE("the smallest controller: a node refuses what it does not have") {
  namespace icc = tofu::registers::icc;
  namespace tbi = tofu::registers::tbi;
  TofuMachineOptions options = two_nodes();
  options.messages = false;
  SmallTofuMachine m(options);
  m.run([&](tofu::Transport& t) {
    host::HardwarePort& port = t.port();
    for (std::uint32_t link = 0; link < 10; ++link) {
      INFO("link " << link);
      const std::uint32_t of_link = 0x400 + 0x40 * link, sent = 0x10 + link, group = 0x20 + link;
      for (const std::uint32_t address : {of_link, sent, group}) {
        if (link == link_a)
          CHECK_NOTHROW(port.read_register(address));
        else
          CHECK_THROWS(port.read_register(address));
      }
      const std::uint32_t inject = link | 1U << 4;  // one wrong bit at this port's input
      if (link != link_a) CHECK_THROWS(port.write_register(icc::router_inject, inject));
    }
    CHECK_NOTHROW(port.read_register(0x1000 + 0x400 + 4 * 15));  // the last gate
    for (const std::uint32_t none : {0x1000U + 0x400 + 4 * 16, 0x1000U + 0x400 + 4 * 63})
      CHECK_THROWS(port.read_register(none));
    for (std::uint32_t queue = 0; queue < 8; ++queue) {
      const std::uint32_t control = 0x2040 + 0x10 * queue;
      if (queue == 0 || queue == 7)
        CHECK_NOTHROW(port.read_register(control));
      else
        CHECK_THROWS(port.read_register(control));
    }
    CHECK_THROWS(port.read_register(0x2100));                   // a second network interface
    CHECK_NOTHROW(port.write_register(0x1000 + 0x100 + 1, 7));  // OPERAND of channel 0
    CHECK_THROWS(port.write_register(0x1000 + 0x100 + 2, 7));   // more than a word of 64 bits
    // A sum of doubles is refused as an operation that there is not.
    CHECK(port.read_register(0x1000 + tbi::error) == 0x1);
    port.write_register(0x1000 + tbi::error, 0xFFFF);
    const std::uint32_t start = 0x1000 + 0x100 + 0xa;
    for (const std::uint32_t unknown : {6U | 2U << 4, 6U | 3U << 4, 9U}) {
      CHECK_THROWS(port.write_register(start, unknown));
      CHECK(port.read_register(0x1000 + tbi::error) == 1U << 4);
      port.write_register(0x1000 + tbi::error, 0xFFFF);
    }
  });
}

TEST_CASE(
    "the smallest controller: a packet whose way leads over a link that is not there is refused") {
  namespace icc = tofu::registers::icc;
  SmallTofuMachine m(two_nodes());
  m.run([&](tofu::Transport& t) {
    if (t.place().node != 0) return;
    host::HardwarePort& port = t.port();
    // As if there were another node along X; the torus changes while the links are down.
    t.links().take_down();
    const tofu::Shape wider{{2, 1, 1, 2, 1, 1}, {true, true, true}};
    port.write_register(icc::shape, wider.register_value());
    tofu::Descriptor d;
    d.command = tofu::TniCommand::PutImmediate;
    d.remote.node = wider.place(wider.nodes() - 1);
    REQUIRE(d.remote.node.at[0] == 1);
    d.remote.queue = tofu::Transport::own_queue;
    d.length = 16;
    tofu::NetworkInterface& interface = t.interface(0);
    port.write_register(tofu::registers::tni::time_limit(0), tofu::registers::tni::time_limit_min);
    const std::uint32_t before = port.read_register(icc::router_refused);
    interface.submit(tofu::Transport::own_queue, d);
    interface.ring(tofu::Transport::own_queue);
    // Nothing answers.
    std::optional<tofu::Completion> end;
    for (int us = 0; us < 100 && !end; ++us) {
      port.advance(1'000'000);
      end = interface.take_completion(tofu::Transport::own_queue);
    }
    REQUIRE(end);
    CHECK(end->cause == tofu::TniCause::Timeout);
    CHECK(port.read_register(icc::router_refused) == before + 1);
    CHECK_THROWS_AS(t.icc().check_router(), HardwareError);
    CHECK(port.read_register(icc::router_error) == 0);
    port.write_register(icc::shape, t.place().machine.register_value());
  });
}
