// SPDX-License-Identifier: Apache-2.0
#include "tests/qpace/node/nwp_traffic.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_reference.hpp"
#include "tests/support/power_on.hpp"

namespace ht::test {
namespace {

namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;

constexpr std::uint32_t notify_base = 0x00ABC000;

}  // namespace

TrafficCounts run_traffic(const Traffic& t) {
  CAPTURE(t.seed, t.delay, t.self, t.stall, t.stall_max, t.pause, t.max_credit, t.lazy, t.damage,
          t.clocks.link_phase);
  const RandomPowerOn power(t.seed);
  NwpHarness h(t.clocks);
  std::mt19937 random(static_cast<unsigned>(seed_of(t.seed)));
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto peer = [&](int l) { return t.self ? l : NwpHarness::peer(l); };
  for (int l = 0; l < links; ++l) h.connect(peer(l), l, t.delay);
  h.write(nwp::notify_base, notify_base);
  h.bring_up();

  NwpReference reference(notify_base);
  std::uint32_t base[links][channels];
  int left[links][channels] = {};  // packets that have no credit yet
  for (int l = 0; l < links; ++l) {
    for (int v = 0; v < channels; ++v) {
      base[l][v] = static_cast<std::uint32_t>(random());
      h.write(nwp::base(static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(v)), base[l][v]);
    }
    // runs of one channel and mixtures of all
    int v = 0;
    for (int i = 0; i < t.packets; ++i) {
      if (below(3) == 0) v = static_cast<int>(below(channels));
      h.put(reference.packet(peer(l), l, v, static_cast<int>(below(0x8000)), t.seed));
      ++left[l][v];
    }
  }

  int stalled = 0;
  h.sink_ready = [&] {
    if (stalled > 0) --stalled;
    if (stalled == 0 && below(16) < t.stall)
      stalled = static_cast<int>(1 + below(1 + below(t.stall_max)));
    return stalled == 0;
  };
  h.source_pauses = [&] { return below(16) < t.pause; };
  if (t.damage != 0) {
    h.on_wire = [&](int, WireWord& word) {
      if (below(t.damage) != 0) return;
      switch (below(3)) {
        case 0:
          word.data ^= 1U << below(32);
          break;
        case 1:  // an error character
          word.control |= static_cast<std::uint8_t>(1U << (8 * below(4) / 8));
          word.data |= 0xFE;
          break;
        default:
          word = {static_cast<std::uint32_t>(random()), static_cast<std::uint8_t>(below(16))};
      }
    };
  }

  // The software: a credit now and then for some channel that has packets to come.
  bool more = true;
  while (more) {
    more = false;
    for (int n = 0; n < links * channels; ++n) {
      const int l = static_cast<int>(below(links)), v = static_cast<int>(below(channels));
      if (left[l][v] == 0) continue;
      const auto status =
          h.read(nwp::credit_status(static_cast<std::uint32_t>(l), static_cast<std::uint32_t>(v)));
      if (nwp::credit_status_free.get(status) == 0) continue;
      const unsigned packets = std::min(static_cast<unsigned>(left[l][v]), 1 + below(t.max_credit));
      const auto local = static_cast<std::uint32_t>(random());
      reference.credit(l, v, base[l][v], local, packets);
      h.post_credit(l, v, local, packets);
      left[l][v] -= static_cast<int>(packets);
      if (t.lazy != 0) h.run_core(below(t.lazy));
      reference.check(h.beats);
    }
    for (const auto& row : left) {
      for (const int n : row) more = more || n != 0;
    }
  }
  h.run_until(
      [&] {
        reference.check(h.beats);
        return reference.complete();
      },
      4000000, "the last packet");
  CHECK(reference.lines() == static_cast<unsigned>(links * t.packets));
  CHECK(h.read(nwp::error) == 0);

  // At rest both ends of every cable agree.
  h.on_wire = nullptr;
  h.run_core(20000);
  CHECK(h.idle());
  TrafficCounts counts;
  counts.notifications = reference.notifications();
  for (int l = 0; l < links; ++l) {
    const auto n = static_cast<std::uint32_t>(l), p = static_cast<std::uint32_t>(peer(l));
    CHECK(h.read(link::tx_checksum(p)) == h.read(link::rx_checksum(n)));
    CHECK(h.read(link::rx_checksum(n)) != 0);
    CHECK(h.accepts[static_cast<std::size_t>(l)] == static_cast<unsigned>(t.packets));
    counts.retransmits += h.retransmits[static_cast<std::size_t>(l)];
    counts.busy += h.read(link::count_busy_sent(n));
  }
  if (t.damage != 0) {
    CHECK(counts.retransmits > 0);
  } else {
    CHECK(h.rx_errors == std::array<std::uint64_t, links>{});
  }
  return counts;
}

}  // namespace ht::test
