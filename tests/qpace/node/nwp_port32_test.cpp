// SPDX-License-Identifier: Apache-2.0
// What qpace_nwp's ports of 32 bytes are for: all that six links can bring, and half the time on
// the port.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"
#include "tests/qpace/node/nwp_throughput.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;

TEST_CASE("the version register says what a beat has") {
  NwpHarness h;
  CHECK(16U << nwp::version_port.get(h.read(nwp::version)) == HT_PORT_BYTES);
}

// 128 bytes of payload in 34 words of 4 ns are 0.94 GB/s a link. [QPACE2009] section 5: the link to
// the processor has 5 GB/s.
TEST_CASE("ports of 32 bytes: more than the processor's 5 GB/s, and no link waits for another") {
  CHECK(throughput({0, 1, 2, 3, 4, 5}, 256, 64) >= 5.5);
  CHECK(throughput({3}, 256, 64) >= 0.93);
}

// As README.md has it: a line follows another of another link without a gap.
TEST_CASE("ports of 32 bytes: lines of several links follow one another without a gap") {
  NwpHarness h;
  h.connect_rings(3);
  h.bring_up();
  NwpReference reference(0);
  h.sink_ready = [] { return false; };
  for (int l = 0; l < links; ++l) {
    const auto n = static_cast<std::uint32_t>(l);
    h.write(nwp::base(n, 0), 0x1000 * n);
    h.post_credit(l, 0, 0, 9);  // one more than come: no notification between the lines
    reference.credit(l, 0, 0x1000 * n, 0, 9);
    for (int i = 0; i < 8; ++i) h.put(reference.packet(NwpHarness::peer(l), l, 0, i, 3));
  }
  h.run_core(4000);  // all of them wait in the receive buffers
  REQUIRE(h.beats.empty());
  h.sink_ready = [] { return true; };
  h.run_core(1000);
  reference.check(h.beats);
  REQUIRE(reference.lines() == 48);
  CHECK(h.beats.back().time - h.beats.front().time == (48 * port_beats - 1) * 4800);
}

}  // namespace
