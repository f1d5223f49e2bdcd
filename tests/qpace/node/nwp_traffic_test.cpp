// SPDX-License-Identifier: Apache-2.0
// Everything at once: all links and channels of a node, random sizes, delays and stalls, clean and
// damaged wires, against a reference model.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"
#include "tests/qpace/node/nwp_traffic.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;

constexpr std::uint32_t notify_base = 0x00ABC000;

TEST_CASE("random traffic on all links and channels, credits early") {
  for (unsigned seed = 1; seed <= 4; ++seed)
    run_traffic({.delay = static_cast<int>(7 * seed), .seed = seed});
}

TEST_CASE("random traffic with stalls of the sink and pauses of the source") {
  for (unsigned seed = 11; seed <= 14; ++seed)
    run_traffic({.clocks = {.link_phase = 1300 * (seed - 10)},
                 .delay = 62,
                 .stall = seed % 4 + 1,
                 .pause = 6,
                 .seed = seed});
}

TEST_CASE("random traffic with late credits") {
  for (unsigned seed = 21; seed <= 24; ++seed)
    run_traffic(
        {.delay = 20, .packets = 60, .max_credit = 5, .stall = 1, .lazy = 1000, .seed = seed});
}

TEST_CASE("random traffic over damaged wires") {
  for (unsigned seed = 31; seed <= 34; ++seed)
    run_traffic({.delay = 62, .stall = 1, .lazy = 100, .damage = 400, .seed = seed});
}

TEST_CASE(
    "messages of all sizes on all channels, credits late, the wires damaged, the sink stalling") {
  for (unsigned seed = 51; seed <= 53; ++seed) {
    const TrafficCounts counts = run_traffic({.clocks = {.link_phase = 700 * (seed - 50)},
                                              .delay = static_cast<int>(30 * (seed - 50)),
                                              .packets = 150,
                                              .max_credit = 40,
                                              .stall = 1,
                                              .pause = 1,
                                              .lazy = 1500,
                                              .damage = 600,
                                              .seed = seed});
    CHECK(counts.retransmits > 50);
    CHECK(counts.busy > 5);
    CHECK(counts.notifications > 48);
  }
}

TEST_CASE("random traffic with long stalls of the sink") {
  const TrafficCounts counts = run_traffic({.delay = 62,
                                            .packets = 120,
                                            .max_credit = 20,
                                            .stall = 1,
                                            .stall_max = 2500,
                                            .lazy = 500,
                                            .damage = 3000,
                                            .seed = 61});
  CHECK(counts.busy > 5);
}

TEST_CASE("random traffic with the paper's slower core clock, links cabled to themselves") {
  run_traffic({.clocks = {.core_period = 6024},
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
