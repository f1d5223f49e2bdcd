// SPDX-License-Identifier: Apache-2.0
// Selecting a link's primary or redundant serial interface: allowed while the link is DOWN, and not
// otherwise.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"

namespace {

using ht::test::NwpHarness;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;

TEST_CASE("a link's interface is selected in DOWN only") {
  NwpHarness h;
  h.run_core(100);
  REQUIRE(h.phy_select() == 0);
  REQUIRE(h.read(nwp::interface_status) == 0x3F);
  for (const std::uint32_t select : {0x15U, 0x2AU, 0x3FU, 0x00U}) {
    h.write(nwp::interface_select, select);
    CHECK(h.phy_select() == select);
    CHECK(h.read(nwp::interface_select) == select);
  }
  h.connect_rings();
  h.bring_up(0x03);
  CHECK(h.read(nwp::interface_status) == 0x3C);
  // Refused whole if one bit of it is, with a sticky cause; the same value again changes nothing.
  CHECK(h.access(true, nwp::interface_select, 0x31).error);
  CHECK(h.phy_select() == 0);
  CHECK(h.read(nwp::interface_select) == 0);
  CHECK(h.interrupt());
  CHECK(h.read(nwp::error) == nwp::error_register_block.mask);
  CHECK(h.read(nwp::error_info) == nwp::interface_select);
  h.write(nwp::error, nwp::error_register_block.mask);
  CHECK_FALSE(h.access(true, nwp::interface_select, 0x30).error);
  CHECK(h.phy_select() == 0x30);
  // A link that trains is not DOWN either.
  h.write(link::control(5), link::control_enable.mask);
  CHECK(h.access(true, nwp::interface_select, 0x10).error);
  CHECK(h.phy_select() == 0x30);
  // Down again, it can be switched at once.
  for (const std::uint32_t l : {0U, 1U, 5U}) h.write(link::control(l), 0);
  h.run_core(100);
  CHECK(h.read(nwp::interface_status) == 0x3F);
  CHECK_FALSE(h.access(true, nwp::interface_select, 0x0F).error);
  CHECK(h.phy_select() == 0x0F);
}

TEST_CASE("no access after ENABLE slips through before the link is seen to train") {
  // The next access after the one that enables, at every phase of the clocks.
  for (int phase = 0; phase < 4000; phase += 250) {
    NwpHarness h({4800, 4000, 0, phase});
    h.run_core(100);
    h.write(link::control(2), link::control_enable.mask);
    INFO("phase " << phase);
    CHECK(h.access(true, nwp::interface_select, 0x04).error);
    CHECK(h.phy_select() == 0);
  }
}

}  // namespace
