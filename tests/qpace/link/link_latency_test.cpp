// SPDX-License-Identifier: Apache-2.0
// Latency of the Verilog link in link cycles, by the table in rtl/qpace/README.md.
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/qpace/link/link_traffic.hpp"

using namespace ht::test;

TEST_CASE("link: latency from the transmit FIFO to the receive buffer") {
  // In link cycles, from the core edge that takes the first beat to the core edge at which the
  // packet is seen waiting, a cable of one cycle taken off; over all clock phases.
  double worst = 0;
  double best = 1e9;
  for (unsigned core = 0; core < 24000; core += 400) {
    LinkPair pair({.delay = 1, .phase_ps = {core, (core * 7) % 24000, 0, 0}});
    pair.bring_up();
    pair.run(20 + core / 100 % 17);
    pair.end(1).waiting_ps = 0;
    std::mt19937_64 random(core);
    pair.end(0).to_send.push_back(random_packet(random));
    REQUIRE(pair.run_until([&] { return pair.end(1).waiting_ps != 0; }, 300));
    const double cycles =
        static_cast<double>(pair.end(1).waiting_ps - pair.end(0).first_beat_ps) / 4000.0 - 1.0;
    worst = std::max(worst, cycles);
    best = std::min(best, cycles);
  }
  INFO("best " << best << ", worst " << worst);
  // 34 of them are serialisation. 8 core cycles to read the packet, and what the node adds, remain
  // of the 62 link cycles of the whole node.
  CHECK(worst <= 43.5);
  CHECK(best > 41.0);
}
