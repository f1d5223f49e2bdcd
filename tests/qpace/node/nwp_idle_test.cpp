// SPDX-License-Identifier: Apache-2.0
// obs_idle: a simulator may leave out cycles of an idle node, so none of them may change anything.
#include <catch2/catch.hpp>

#include "sw/qpace/registers.hpp"
#include "tests/qpace/node/nwp_harness.hpp"
#include "tests/qpace/node/nwp_reference.hpp"

namespace {

using namespace ht::test;
namespace nwp = ht::qpace::registers::nwp;
namespace link = ht::qpace::registers::link;

// Both clocks are where they were after this many core cycles: 24 ns.
constexpr int pattern = 5;

struct Run {
  NwpHarness h;
  NwpReference reference{0x100};
  Picoseconds left_out = 0;

  explicit Run(Picoseconds phase) : h({.link_phase = phase}) {
    h.connect_rings(9);
    h.write(nwp::notify_base, 0x100);
    h.bring_up();
    h.run_core(pattern * 40);
  }

  void rest(int cycles) {
    h.run_core(cycles);
    left_out += cycles * Picoseconds{4800};
  }

  // Some packets on every link, one of which waits for a credit until the end.
  void traffic(std::uint32_t round) {
    for (int l = 0; l < links; ++l) {
      const auto n = static_cast<std::uint32_t>(l);
      h.write(nwp::base(n, round), 0x1000 * n);
      for (int i = 0; i < 3; ++i)
        h.put(reference.packet(NwpHarness::peer(l), l, static_cast<int>(round), i, round));
      h.post_credit(l, static_cast<int>(round), round, l == 0 ? 2 : 3);
      reference.credit(l, static_cast<int>(round), 0x1000 * n, round, l == 0 ? 2 : 3);
    }
    h.run_until([&] { return h.unsent() == 0; }, 10000, "taking every line");
    h.run_core(pattern * 400);
    reference.check(h.beats);
  }
};

TEST_CASE("cycles of an idle node change nothing") {
  for (const Picoseconds phase : {0, 1100, 2700}) {
    Run plain(phase), longer(phase);
    for (std::uint32_t round = 0; round < 4; ++round) {
      CAPTURE(phase, round);
      REQUIRE(plain.h.idle());
      REQUIRE(longer.h.idle());
      longer.rest(pattern * (37 + 200 * static_cast<int>(round)));
      REQUIRE(longer.h.idle());
      plain.traffic(round);
      longer.traffic(round);
      REQUIRE(plain.h.beats.size() == longer.h.beats.size());
      for (std::size_t i = 0; i < plain.h.beats.size(); ++i) {
        const OutBeat &a = plain.h.beats[i], &b = longer.h.beats[i];
        REQUIRE(a.address == b.address);
        REQUIRE(a.data == b.data);
      }
      // the last beat of this round, shifted by what was left out
      CHECK(plain.h.beats.back().time + longer.left_out == longer.h.beats.back().time);
      for (std::uint32_t l = 0; l < links; ++l)
        CHECK(plain.h.read(link::status(l)) == longer.h.read(link::status(l)));
      plain.h.run_core(pattern * 100);
      longer.h.run_core(pattern * 100);
    }
    CHECK(plain.reference.lines() == 4 * (6 * 3 - 1));
  }
}

TEST_CASE("a node is not idle while a line, a packet or a request is under way") {
  NwpHarness h;
  h.connect_rings(9);
  CHECK_FALSE(h.idle());  // it clears its credits after reset
  h.write(nwp::notify_base, 0x100);
  h.bring_up();
  h.run_core(200);
  REQUIRE(h.idle());
  h.write(nwp::base(1, 0), 0);
  h.post_credit(1, 0, 0, 1);
  h.run_core(20);
  CHECK(h.idle());
  h.put({put_address(0, 0, 0), {}});
  // From the cycle after its first beat was taken until its last beat came out, and the
  // acknowledgement back; while it is nowhere but on the cable both ends may rest.
  h.run_until([&] { return !h.first_beats_in.empty(); }, 100, "taking a line");
  int busy = 0;
  h.run_until(
      [&] {
        busy += h.idle() ? 0 : 1;
        return h.beats.size() == 9;
      },
      200, "the packet");
  CHECK(busy >= 45);
  h.run_core(100);
  CHECK(h.idle());
}

}  // namespace
