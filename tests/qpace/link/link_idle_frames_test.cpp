// SPDX-License-Identifier: Apache-2.0
// What obs_idle says, and what is on the wire: of the Verilog at both ends. A twin evaluates the
// pair in other steps, so that its cycles are not these.
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "tests/qpace/link/link_traffic.hpp"

using namespace ht::test;

// A cycle that says idle may be left out: nothing may be decided in it. From the decision to the
// first word on the wire are two cycles.
TEST_CASE("link: no frame begins in an idle cycle") {
  for (unsigned trial = 0; trial < 12; ++trial) {
    INFO("trial " << trial);
    LinkPair pair(still_options(trial));
    pair.bring_up();
    pair.run(300);
    std::mt19937_64 random(trial);
    std::array<std::array<bool, 3>, 2> idle{};  // of this cycle and of those before
    std::array<bool, 2> quiet{true, true};      // the word before was idle
    unsigned frames = 0, early = 0;
    pair.every = [&] {
      for (std::size_t e = 0; e < 2; ++e) {
        LinkEnd& end = pair.end(static_cast<int>(e));
        idle[e] = {end.idle(), idle[e][0], idle[e][1]};
        if (quiet[e] && !end.wire().idle()) {
          ++frames;
          early += idle[e][2];
        }
        quiet[e] = end.wire().idle();
      }
    };
    for (int n = 0; n < 20; ++n) {
      pair.end(n % 2).to_send.push_back(random_packet(random));
      pair.run(300 + random() % 10);
    }
    CHECK(frames >= 40);  // packets and acknowledgements
    CHECK(early == 0);
  }
}
