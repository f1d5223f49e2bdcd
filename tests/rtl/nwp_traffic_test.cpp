// SPDX-License-Identifier: Apache-2.0
// Everything at once: all links and channels of a node, random sizes, delays and stalls, clean and
// damaged wires, against a reference model.
#include <catch2/catch.hpp>
#include <random>

#include "sw/qpace/registers.hpp"
#include "tests/rtl/nwp_harness.hpp"
#include "tests/rtl/nwp_reference.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;

constexpr std::uint32_t notify_base = 0x00ABC000;

struct Traffic {
  NwpClocks clocks{};
  int delay = 0;             ///< of each cable, link clocks
  bool self = false;         ///< each link to itself instead of rings
  int packets = 100;         ///< a link
  unsigned max_credit = 12;  ///< packets of a credit
  unsigned stall = 0;        ///< of 16: how often a sink stall begins
  unsigned pause = 0;        ///< of 16: how often the source pauses
  unsigned lazy = 0;         ///< core cycles the software idles between credits, at most
  unsigned damage = 0;       ///< one word in so many is damaged, 0 never
  unsigned seed = 1;
};

void run(const Traffic& t) {
  CAPTURE(t.seed, t.delay, t.self, t.stall, t.pause, t.lazy, t.damage, t.clocks.link_phase);
  NwpHarness h(t.clocks);
  std::mt19937 random(t.seed);
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
    if (stalled == 0 && below(16) < t.stall) stalled = static_cast<int>(1 + below(1 + below(40)));
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
      400000, "the last packet");
  CHECK(reference.lines() == static_cast<unsigned>(links * t.packets));
  CHECK(h.read(nwp::error) == 0);

  // At rest both ends of every cable agree.
  h.on_wire = nullptr;
  h.run_core(20000);
  CHECK(h.idle());
  std::uint64_t retransmits = 0;
  for (int l = 0; l < links; ++l) {
    const auto n = static_cast<std::uint32_t>(l), p = static_cast<std::uint32_t>(peer(l));
    CHECK(h.read(link::tx_checksum(p)) == h.read(link::rx_checksum(n)));
    CHECK(h.read(link::rx_checksum(n)) != 0);
    CHECK(h.accepts[static_cast<std::size_t>(l)] == static_cast<unsigned>(t.packets));
    retransmits += h.retransmits[static_cast<std::size_t>(l)];
  }
  if (t.damage != 0) {
    CHECK(retransmits > 0);
  } else {
    CHECK(h.rx_errors == std::array<std::uint64_t, links>{});
  }
}

TEST_CASE("random traffic on all links and channels, credits early") {
  for (unsigned seed = 1; seed <= 4; ++seed)
    run({.delay = static_cast<int>(7 * seed), .seed = seed});
}

TEST_CASE("random traffic with stalls of the sink and pauses of the source") {
  for (unsigned seed = 11; seed <= 14; ++seed)
    run({.clocks = {.link_phase = 1300 * (seed - 10)},
         .delay = 62,
         .stall = seed % 4 + 1,
         .pause = 6,
         .seed = seed});
}

TEST_CASE("random traffic with late credits") {
  for (unsigned seed = 21; seed <= 24; ++seed)
    run({.delay = 20, .packets = 60, .max_credit = 5, .stall = 1, .lazy = 1000, .seed = seed});
}

TEST_CASE("random traffic over damaged wires") {
  for (unsigned seed = 31; seed <= 34; ++seed)
    run({.delay = 62, .stall = 1, .lazy = 100, .damage = 400, .seed = seed});
}

TEST_CASE("random traffic with the paper's slower core clock, links cabled to themselves") {
  run({.clocks = {.core_period = 6024},
       .delay = 5,
       .self = true,
       .stall = 2,
       .pause = 2,
       .seed = 41});
}

TEST_CASE("a stalled sink starves nobody") {
  NwpHarness h;
  h.connect_rings(10);
  h.write(nwp::notify_base, notify_base);
  h.bring_up();
  NwpReference reference(notify_base);
  constexpr int packets = 120;  // a channel
  for (int l = 0; l < links; ++l) {
    for (int v = 0; v < channels; ++v) {
      const auto n = static_cast<std::uint32_t>(l), c = static_cast<std::uint32_t>(v);
      h.write(nwp::base(n, c), 0x1000 * (8 * n + c));
      h.post_credit(l, v, 0, packets);
      reference.credit(l, v, 0x1000 * (8 * n + c), 0, packets);
    }
  }
  for (int i = 0; i < links * channels * packets; ++i) {
    const int l = i % links, v = i / links % channels;
    h.put(reference.packet(NwpHarness::peer(l), l, v, i % 0x8000, 9));
  }
  // The sink takes a beat every third cycle, so that every link always has packets waiting.
  int phase = 0;
  h.sink_ready = [&] { return ++phase % 3 == 0; };
  h.run_core(links * channels * packets * 8 * 3 / 2);
  reference.check(h.beats);
  std::uint64_t least = reference.lines(), most = 0;
  for (int l = 0; l < links; ++l) {
    least = std::min(least, reference.lines_of(l));
    most = std::max(most, reference.lines_of(l));
    std::uint64_t least_vc = reference.lines(), most_vc = 0;
    for (int v = 0; v < channels; ++v) {
      least_vc = std::min(least_vc, reference.lines_of(l, v));
      most_vc = std::max(most_vc, reference.lines_of(l, v));
    }
    CHECK(most_vc - least_vc <= 2);
  }
  CHECK(most >= channels * packets / 3);
  CHECK(most - least <= 4);
}

}  // namespace
