// SPDX-License-Identifier: Apache-2.0
// The random traffic of nwp_traffic_test.cpp for longer.
#include <catch2/catch.hpp>
#include <random>

#include "tests/qpace/node/nwp_traffic.hpp"

namespace {

using namespace ht::test;

TEST_CASE("long random traffic with late credits, stalls and damaged wires") {
  std::uint64_t retransmits = 0, busy = 0;
  for (unsigned seed = 1001; seed <= 1010; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
    const TrafficCounts counts = run_traffic({.clocks = {.core_period = below(3) == 0 ? 6024 : 4800,
                                                         .core_phase = below(4800),
                                                         .link_phase = below(4000)},
                                              .delay = static_cast<int>(below(190)),
                                              .self = below(4) == 0,
                                              .packets = 1000,
                                              .max_credit = 20 + below(80),
                                              .stall = below(3),
                                              .stall_max = below(4) == 0 ? 3000U : 60U,
                                              .pause = below(8),
                                              .lazy = below(3) == 0 ? 0 : below(3000),
                                              .damage = 100 + below(3000),
                                              .seed = seed});
    retransmits += counts.retransmits;
    busy += counts.busy;
  }
  CHECK(retransmits > 10000);
  CHECK(busy > 1000);
}

}  // namespace
