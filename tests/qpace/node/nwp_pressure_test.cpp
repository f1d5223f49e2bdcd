// SPDX-License-Identifier: Apache-2.0
// Back-pressure to the end: a receiver that takes nothing stops its link, its sender's FIFO and its
// sender's port, for as long as it likes; registers and credits get through; nothing is lost.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;

constexpr std::uint32_t notify_base = 0x7000;

std::uint32_t u(int x) {
  return static_cast<std::uint32_t>(x);
}

// What a register access costs while the node rests, and while it is stalled, must be the same.
struct Latencies {
  int own, channel, link;
};

Latencies latencies(NwpHarness& h) {
  Latencies worst{};
  for (std::uint32_t l = 0; l < links; ++l) {
    worst.own = std::max(worst.own, h.access(true, nwp::scratch, l).cycles);
    worst.channel = std::max(worst.channel, h.access(false, nwp::credit_status(l, 3)).cycles);
    worst.channel = std::max(worst.channel, h.access(true, nwp::credit_offset(l, 3), 0).cycles);
    for (int i = 0; i < 5; ++i) {  // all phases of the clocks
      worst.link = std::max(worst.link, h.access(false, link::count_sent(l)).cycles);
      h.run_core(1);
    }
  }
  return worst;
}

constexpr int packets = 60;

// A node with its links up, at rest.
struct Rested {
  Rested() {
    h.connect_rings(62);
    h.write(nwp::notify_base, notify_base);
    h.bring_up();
    h.run_core(1000);
    rest = latencies(h);
    slots = static_cast<int>(nwp::version_rx_slots.get(h.read(nwp::version)));
  }
  NwpHarness h;
  Latencies rest{};
  NwpReference reference{notify_base};
  int slots = 0;
};

TEST_CASE(
    "a millisecond without a credit: link, FIFO and port wait, all else is served, nothing is "
    "lost") {
  Rested node;
  auto& [h, rest, reference, slots] = node;
  // link 1 receives from link 0, channel 3, and gives no credit
  h.write(nwp::base(1, 3), 0x1000);
  for (int i = 0; i < packets; ++i) h.put(reference.packet(0, 1, 3, i, 1));
  h.run_core(5000);
  // where the packets are
  CHECK(h.accepts[1] == u(slots));
  CHECK(link::status_outstanding.get(h.read(link::status(0))) >= 1);
  CHECK(link::status_held.get(h.read(link::status(0))) == 1);
  CHECK(h.unsent() == u(packets - slots - 16));
  CHECK((h.room() & 1) == 0);
  h.put_raw(
      reference.packet(0, 1, 4, 0, 1));  // whoever does not look at the room waits at the port
  h.run_core(100);
  CHECK_FALSE(h.in_ready());

  const std::uint32_t sent = h.read(link::count_sent(0));
  std::uint32_t taken = 0;
  constexpr std::int64_t hold = 208333;
  for (int i = 0; i < 10; ++i) {
    h.run_core(hold / 10);
    const Latencies now = latencies(h);
    CHECK(now.own == rest.own);
    CHECK(now.channel == rest.channel);
    CHECK(now.link <= rest.link + 4);  // counters that are being written
    // credits of other channels are taken and cancelled
    h.write(nwp::base(1, 5), 0);
    h.post_credit(1, 5, 0, 7);
    taken += nwp::credit_status_left.get(h.read(nwp::credit_status(1, 5))) == 7;
    h.write(nwp::credit_cancel(1, 5), 0);
  }
  CHECK(taken == 10);
  CHECK(h.beats.empty());
  CHECK(h.read(link::count_sent(0)) == sent);
  // one probe in BUSY_PROBE link cycles, and neither timeouts nor trainings
  const std::uint32_t probes = h.read(link::count_replayed(0));
  const auto link_cycles = static_cast<std::uint32_t>((hold + 12000) * 48 / 40);
  CHECK(probes >= 1);
  CHECK(probes <= link_cycles / h.read(link::busy_probe(0)) + 1);
  CHECK(h.read(link::count_timeout(0)) <= probes);
  CHECK(h.read(link::count_retrain(0)) == 0);
  CHECK(h.read(link::error(0)) == 0);

  h.post_credit(1, 3, 0, packets);
  reference.credit(1, 3, 0x1000, 0, packets);
  h.write(nwp::base(1, 4), 0);
  h.post_credit(1, 4, 0, 1);
  reference.credit(1, 4, 0, 0, 1);
  h.run_core(4000);
  reference.check(h.beats);
  CHECK(reference.complete());
  CHECK(h.unsent() == 0);
  CHECK(h.read(nwp::error) == 0);
}

TEST_CASE("a sink that takes nothing stops all six links, and with its first beat all go on") {
  Rested node;
  auto& [h, rest, reference, slots] = node;
  h.sink_ready = [] { return false; };
  for (int l = 0; l < links; ++l) {
    h.write(nwp::base(u(l), 2), u(0x1000 * (1 + l)));
    h.post_credit(l, 2, 0, packets);
    reference.credit(l, 2, u(0x1000 * (1 + l)), 0, packets);
    for (int i = 0; i < packets; ++i) h.put(reference.packet(NwpHarness::peer(l), l, 2, i, 1));
  }
  h.run_core(60000);
  CHECK(h.beats.empty());
  CHECK(h.room() == 0);
  for (int l = 0; l < links; ++l) {
    // of a line in the pipeline the slot is still taken, but for the one whose last beat left it
    CHECK(h.accepts[static_cast<std::size_t>(l)] <= u(slots) + 1);
    CHECK(h.accepts[static_cast<std::size_t>(l)] >= u(slots));
    CHECK(h.read(link::error(u(l))) == 0);
    CHECK(h.read(link::count_retrain(u(l))) == 0);
  }
  const Latencies now = latencies(h);
  CHECK(now.own == rest.own);
  CHECK(now.channel == rest.channel);
  CHECK(now.link <= rest.link + 4);
  h.sink_ready = [] { return true; };
  h.run_core(6000);
  reference.check(h.beats);
  CHECK(reference.complete());
  CHECK(h.read(nwp::error) == 0);
}

}  // namespace
