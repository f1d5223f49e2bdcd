// SPDX-License-Identifier: Apache-2.0
// A link whose ends have clocks of their own: whatever their phase and difference, words arrive
// once, in order and unaltered, and what is sent again is due to damage.
#include <catch2/catch.hpp>

#include "sw/qcdoc/registers.hpp"
#include "tests/qcdoc/tester/clocked_pair.hpp"

using ht::test::ClockedOptions;
using ht::test::ClockedPair;
namespace tester = ht::qcdoc::registers::tester;

namespace {

constexpr std::uint32_t enable = 1, sends = 2, new_session = 8, clear = 16;

void traffic(ClockedPair& pair, bool on) {
  for (const int end : {0, 1}) pair.write(end, tester::control, on ? enable | sends : enable);
}

// What each end sent has arrived at the other: nothing of it wrong, checksums equal.
void check_ends(ClockedPair& pair, std::uint32_t least) {
  traffic(pair, false);
  pair.run(4000);
  for (const int end : {0, 1}) {
    INFO("end " << end);
    REQUIRE(pair.up(end));
    CHECK(pair.read(end, tester::wrong) == 0);
    CHECK(pair.read(end, tester::checked) >= least);
    CHECK(pair.read(end, tester::checked) == pair.read(1 - end, tester::sent));
    CHECK(pair.read(end, tester::rx_checksum) == pair.read(1 - end, tester::tx_checksum));
  }
}

}  // namespace

TEST_CASE("clocks of their own: every phase, up to 300 ppm at each end, with jitter") {
  for (const int ppm : {-300, 0, 20, 300}) {
    for (int phase = 0; phase < 8; ++phase) {
      ClockedOptions options;
      options.ppm = {ppm, -ppm};
      options.phase = phase * options.period / 8 + 17;
      // An eighth of a bit: a sample beside the best one is still right.
      options.jitter = options.period / 8;
      options.delay = 3'000 + 4'321 * phase;
      options.seed = static_cast<std::uint64_t>(100 * phase + ppm + 300);
      INFO(ppm << " ppm, phase " << phase);
      ClockedPair pair(options);
      REQUIRE(pair.bring_up(40'000));
      traffic(pair, true);
      pair.run(40'000);  // 300 ppm each: 24 bits more at one end than at the other
      check_ends(pair, 500);
      for (const int end : {0, 1}) {
        CHECK(pair.read(end, tester::resent) == 0);
        CHECK(pair.read(end, tester::retrains) == 0);
      }
    }
  }
}

TEST_CASE("clocks of their own: flipped bits are sent again, and no word is wrong") {
  ClockedOptions options;
  options.ppm = {50, -70};
  options.jitter = 2'000;
  ClockedPair pair(options);
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  for (const int end : {0, 1}) pair.write(end, tester::inject_period, 997);
  pair.run(100'000);
  for (const int end : {0, 1}) {
    CHECK(pair.read(end, tester::injected) >= 90);
    CHECK(pair.read(end, tester::resent) > 50);
    pair.write(end, tester::inject_period, 0);
  }
  pair.run(2000);
  check_ends(pair, 300);
}

TEST_CASE("clocks of their own: a cable that is pulled and put back") {
  ClockedOptions options;
  options.ppm = {-100, 100};
  ClockedPair pair(options);
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  pair.run(20'000);
  pair.plug(false);
  pair.run(30'000);
  CHECK(!pair.up(0));
  CHECK(!pair.up(1));
  pair.plug(true);
  pair.run(30'000);
  check_ends(pair, 300);
}

TEST_CASE("the tester's checker: what is not the next word is wrong, the one after it is not") {
  ClockedPair pair({});
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  pair.run(5'000);
  // A sender that is reset begins its sequence anew, in a new session.
  traffic(pair, false);
  pair.run(2'000);
  pair.write(1, tester::control, 0);
  pair.reset(0);
  pair.write(1, tester::control, new_session);
  pair.run(10);
  REQUIRE(pair.bring_up(40'000));
  traffic(pair, true);
  pair.run(5'000);
  CHECK(pair.read(1, tester::wrong) == 1);
  CHECK(pair.read(0, tester::wrong) == 0);
  CHECK(pair.read(1, tester::checked) > 100);
  // Cleared, it begins with whatever comes.
  pair.write(1, tester::control, enable | sends | clear);
  pair.run(5'000);
  CHECK(pair.read(1, tester::wrong) == 0);
  CHECK(pair.read(1, tester::checked) > 50);
}
