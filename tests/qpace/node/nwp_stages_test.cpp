// SPDX-License-Identifier: Apache-2.0
// What STAGES costs: two core cycles and a link cycle of latency, and no throughput.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"
#include "tests/qpace/node/nwp_throughput.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;

constexpr Picoseconds cycle = 4000;

/// First beat in to last beat out of the peer, in cycles: both clocks have the same.
std::int64_t latency(Picoseconds phase) {
  NwpClocks clocks;
  clocks.core_period = cycle;
  clocks.link_period = cycle;
  clocks.link_phase = phase;
  NwpHarness h(clocks);
  h.connect_rings();
  h.bring_up();
  NwpReference reference(0);
  h.write(nwp::base(1, 3), 0x100);
  h.post_credit(1, 3, 0, 1);
  reference.credit(1, 3, 0x100, 0, 1);
  h.run_core(100);
  h.put(reference.packet(0, 1, 3, 0, 1));
  h.run_until([&] { return h.beats.size() == 8; }, 1000, "the line");
  reference.check(h.beats);
  return (h.beats.back().time - h.first_beats_in.back()) / cycle;
}

TEST_CASE("a line takes two core cycles and a link cycle more with STAGES, whatever the clocks' phase") {
  for (Picoseconds phase = 0; phase < cycle; phase += 250) {
    INFO("link clock " << phase << " ps later");
    CHECK(latency(phase) == (phase == 0 ? 54 : 53) + 3 * stages);
  }
}

TEST_CASE("six links together reach 3.2 GB/s with STAGES as without") {
  CHECK(throughput({0, 1, 2, 3, 4, 5}, 256, 64) >= 3.2);
}

}  // namespace
