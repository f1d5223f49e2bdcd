// SPDX-License-Identifier: Apache-2.0
// Partition interrupts where a link is dead, or a node has no windows.
#include <Vqcdoc_scu.h>

#include <catch2/catch.hpp>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/unit/node.hpp"

using namespace ht::test;
namespace scu = ht::qcdoc::registers::scu;
namespace link_map = ht::qcdoc::registers::link;

namespace {

constexpr unsigned enable = 1U << 31;
constexpr std::uint64_t window = 64 * 12;  // cycles of one of 2^6 ticks

void acknowledge(QcdocTorus& t) {
  for (int i = 0; i < static_cast<int>(t.nodes.size()); ++i) {
    t.write(i, scu::partition_present, 0x7F);
    t.write(i, scu::error, 0xFFFFFFFF);
  }
}

}  // namespace

TEST_CASE("a node without windows passes partition interrupts on, and presents none") {
  // In a line; node 1 does not know windows, or knows their length only.
  const unsigned log2_ticks = GENERATE(0U, 6U);
  for (unsigned at = 0; at < 16; at += 3) {
    CAPTURE(log2_ticks, at);
    QcdocTorus t({4}, 10);
    REQUIRE(t.bring_up());
    for (int i = 0; i < 4; ++i) t.write(i, scu::partition_links, i == 0 ? 1 : i == 3 ? 2 : 3);
    for (int i : {0, 2, 3}) t.write(i, scu::partition_window, enable | 6);
    t.write(1, scu::partition_window, log2_ticks);
    t.run(at * 97);
    // The same interrupt again only where the length is known; else another one, in any window.
    for (unsigned bits : {5U, log2_ticks != 0 ? 5U : 2U}) {
      t.write(0, scu::partition_raise, bits);
      t.run(3000);
      for (int i = 0; i < 4; ++i) {
        CAPTURE(i, bits);
        CHECK(t.read(i, scu::error) == 0);
        CHECK(t.read(i, scu::partition_present) == (i == 1 ? 0U : bits));
        t.write(i, scu::partition_present, 0x7F);
      }
    }
    // With windows it presents what comes from then on.
    t.write(1, scu::partition_window, enable | 6);
    t.run(3000);
    CHECK(t.read(1, scu::partition_present) == 0);
    t.write(3, scu::partition_raise, 0x20);
    t.run(3000);
    for (int i = 0; i < 4; ++i) {
      CHECK(t.read(i, scu::partition_present) == 0x20);
      CHECK(t.read(i, scu::error) == 0);
    }
  }
}

TEST_CASE("nodes without windows do not pass partition interrupts round and round") {
  const unsigned log2_ticks = GENERATE(0U, 6U);
  CAPTURE(log2_ticks);
  QcdocTorus t({4}, 10);
  REQUIRE(t.bring_up());
  for (int i = 0; i < 4; ++i) {
    t.write(i, scu::partition_links, 3);
    t.write(i, scu::partition_window, i == 0 ? enable | 6 : log2_ticks);
  }
  t.write(0, scu::partition_raise, 9);
  t.run(2 * window);
  CHECK(t.read(0, scu::partition_present) == 9);
  t.write(0, scu::partition_present, 9);
  // Nothing moves any more, and nothing comes back in a later window.
  std::uint64_t active = 0;
  for (std::uint64_t i = 0; i < 6 * window; ++i) {
    t.step();
    for (auto& node : t.nodes) active += node->dut().obs_rx_ok != 0;
  }
  CHECK(active == 0);
  for (int i = 0; i < 4; ++i) {
    CHECK(t.read(i, scu::partition_present) == 0);
    CHECK(t.read(i, scu::error) == 0);
  }
}

TEST_CASE("a dead link in a partition is an error in each window with interrupts, and stops none") {
  QcdocTorus t({2}, 10);
  REQUIRE(t.bring_up());
  t.write(0, link_map::control(1), 0);  // link 1 of node 0
  t.run(3000);
  for (int i : {0, 1}) {
    t.write(i, scu::partition_links, i == 0 ? 3 : 2);
    t.write(i, scu::partition_window, enable | 6);
  }
  for (unsigned bits : {1U, 2U}) {
    CAPTURE(bits);
    t.write(0, scu::partition_raise, bits);
    t.run(2 * window);
    for (int i : {0, 1}) CHECK(t.read(i, scu::partition_present) == bits);
    CHECK(t.read(0, scu::error) == scu::error_partition_late.mask);
    CHECK(t.read(1, scu::error) == 0);
    acknowledge(t);
    t.run(3 * window);
    CHECK(t.read(0, scu::error) == 0);
  }
  // Software learns, and leaves the dead link out.
  t.write(0, scu::partition_links, 1);
  t.write(0, scu::partition_raise, 2);
  t.run(4000);
  for (int i : {0, 1}) {
    CHECK(t.read(i, scu::error) == 0);
    CHECK(t.read(i, scu::partition_present) == 2);
  }
}

TEST_CASE("a node with a dead link in its partition passes on all that comes in one window") {
  // In a line, the one in the middle has the dead link; both of the others' interrupts reach it
  // after its own went out.
  QcdocTorus t({3}, 10);
  REQUIRE(t.bring_up());
  t.write(1, link_map::control(2), 0);
  t.run(3000);
  for (int i : {0, 1, 2}) {
    t.write(i, scu::partition_links, i == 0 ? 1 : i == 1 ? 7 : 2);
    t.write(i, scu::partition_window, enable | 6);
  }
  while (t.cycle % window != window / 2) t.step();
  for (int i : {0, 1, 2}) t.write(i, scu::partition_raise, 1U << i);
  t.run(2 * window);
  for (int i : {0, 1, 2}) {
    CAPTURE(i);
    CHECK(t.read(i, scu::partition_present) == 7);
    CHECK(t.read(i, scu::error) == (i == 1 ? scu::error_partition_late.mask : 0));
  }
}

TEST_CASE("what a link did not get rid of in its window is not presented when it comes up later") {
  const bool new_session = GENERATE(false, true);
  for (unsigned w = 0; w < 8; w += 2) {
    CAPTURE(new_session, w);
    QcdocTorus t({2}, 10);
    REQUIRE(t.bring_up());
    for (unsigned end : {0U, 1U}) {
      t.write(static_cast<int>(end), scu::partition_links, 1U << end);
      t.write(static_cast<int>(end), scu::partition_window, enable | 6);
      t.write(static_cast<int>(end), link_map::control(end), 0);
    }
    t.run(3000);
    t.write(0, scu::partition_raise, 1);
    t.run(3000 + w * 200);
    CHECK(t.read(0, scu::error) == scu::error_partition_late.mask);
    if (new_session)
      for (unsigned end : {0U, 1U})
        t.write(static_cast<int>(end), link_map::control(end), link_map::control_new_session.mask);
    acknowledge(t);
    for (unsigned end : {0U, 1U}) t.write(static_cast<int>(end), link_map::control(end), 1);
    t.run(8000);
    for (int i : {0, 1}) {
      CHECK(t.read(i, scu::partition_present) == 0);
      CHECK(t.read(i, scu::error) == 0);
    }
    // And the link carries interrupts.
    for (unsigned bits : {1U, 0x40U}) {
      t.write(0, scu::partition_raise, bits);
      t.run(2 * window);
      for (int i : {0, 1}) {
        CHECK(t.read(i, scu::partition_present) == bits);
        CHECK(t.read(i, scu::error) == 0);
      }
      acknowledge(t);
    }
  }
}

TEST_CASE("an interrupt cut off on its way is not taken for the next one") {
  // The cable is cut anywhere around the packet, for good, and the links come up again without a
  // new session: the peer may have got the packet, or not; the sender cannot know.
  for (unsigned cut = 0; cut < 120; cut += 8) {
    CAPTURE(cut);
    QcdocTorus t({2}, 10);
    REQUIRE(t.bring_up());
    for (unsigned end : {0U, 1U}) {
      t.write(static_cast<int>(end), scu::partition_links, 1U << end);
      t.write(static_cast<int>(end), scu::partition_window, enable | 6);
    }
    t.write(0, scu::partition_raise, 1);
    while (t.cycle % window != 10) t.step();
    t.run(cut);
    const std::uint64_t from = t.cycle;
    t.damage = [&](int node, int l, bool bit) {
      return (node == 0 && l == 0) || (node == 1 && l == 1) ? t.cycle < from && bit : bit;
    };
    t.run(2 * window);
    for (unsigned end : {0U, 1U}) t.write(static_cast<int>(end), link_map::control(end), 0);
    t.run(2000);
    t.damage = nullptr;
    for (unsigned end : {0U, 1U}) t.write(static_cast<int>(end), link_map::control(end), 1);
    t.run(8000);
    acknowledge(t);
    for (unsigned bits : {2U, 4U}) {
      t.write(0, scu::partition_raise, bits);
      t.run(2 * window);
      for (int i : {0, 1}) {
        CAPTURE(i, bits);
        CHECK(t.read(i, scu::partition_present) == bits);
        CHECK(t.read(i, scu::error) == 0);
      }
      acknowledge(t);
    }
  }
}
