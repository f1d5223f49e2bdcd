// SPDX-License-Identifier: Apache-2.0
// The tests that lanes have built in: loopbacks, and pseudo-random bits.
#include "tests/lane/traffic.hpp"

using namespace ht::test;

TEST_CASE("near loopback: a link hears itself, without a cable and without receive clocks") {
  for (const Shape shape : kShapes) {
    INFO(shape.bytes << " bytes on " << shape.lanes << " lanes");
    PairOptions options;
    options.shape = shape;
    options.seed = seed_of(71);
    Traffic traffic(options, {.longest = 34});
    LanePair& pair = traffic.pair;
    for (unsigned i = 0; i < 2; ++i) {
      for (unsigned l = 0; l < shape.lanes; ++l) {
        pair.line(i, l).clock = false;
        pair.line(i, l).signal = false;
      }
    }
    pair.in(0).loopback_near = true;
    REQUIRE(pair.run_until([&] { return pair.out(0).up; }, 1500));
    CHECK(pair.out(1).local_fault);
    pair.run(100);
    LaneLink link(shape.bytes, {.longest = 34}, options.seed);
    WordCheck check(shape.bytes);
    check.start();
    pair.source[0] = [&](const BundleOutputs& out) {
      const Word word = link.next(out.tx_pause);
      check.sent(word);
      return word;
    };
    pair.sink[0] = [&](const Word& word) { check.received(word); };
    pair.run(3000);
    INFO(check.first());
    CHECK(check.good() > 2900);
    CHECK(check.wrong() + check.missing() == 0);
    CHECK(check.waiting() < 12);
    // Off, and the cable is back.
    pair.in(0).loopback_near = false;
    pair.source[0] = [&](const BundleOutputs&) { return idle_word(shape.bytes); };
    for (unsigned i = 0; i < 2; ++i) {
      for (unsigned l = 0; l < shape.lanes; ++l) {
        pair.line(i, l).clock = true;
        pair.line(i, l).signal = true;
      }
    }
    CHECK(pair.run_until([&] { return pair.up(); }, 3000));
  }
}

TEST_CASE("far loopback: an end's words come back from the other one, whose link sends none") {
  for (const Shape shape : kShapes) {
    for (const double ppm : {300.0, -300.0}) {
      INFO(shape.bytes << " bytes on " << shape.lanes << " lanes, " << ppm << " ppm");
      PairOptions options;
      options.shape = shape;
      options.ppm = {ppm, -ppm};
      options.seed = seed_of(81);
      Traffic traffic(options, {.longest = 34});
      LanePair& pair = traffic.pair;
      pair.draw_lines(6);
      pair.in(1).loopback_far = true;
      REQUIRE(pair.bring_up());
      pair.run(200);
      LaneLink link(shape.bytes, {.longest = 34}, options.seed);
      LaneLink other(shape.bytes, {.longest = 34}, options.seed + 1);
      WordCheck check(shape.bytes);
      check.start();
      bool sends = true;
      pair.source[0] = [&](const BundleOutputs& out) {
        const Word word = sends ? link.next(out.tx_pause) : idle_word(shape.bytes);
        check.sent(word);
        return word;
      };
      pair.source[1] = [&](const BundleOutputs& out) { return other.next(out.tx_pause); };
      pair.sink[0] = [&](const Word& word) { check.received(word); };
      pair.run(12000);
      sends = false;
      pair.run(200);
      INFO(check.first());
      CHECK(check.good() > 11800);
      CHECK(check.wrong() + check.missing() + check.waiting() == 0);
      CHECK(pair.up());
    }
  }
}

TEST_CASE("pseudo-random bits: found at any alignment, and each flipped bit counts once") {
  for (const Shape shape : kShapes) {
    for (const bool prbs31 : {false, true}) {
      INFO(shape.bytes << " bytes on " << shape.lanes << " lanes, PRBS-" << (prbs31 ? 31 : 7));
      PairOptions options;
      options.shape = shape;
      options.ppm = {300, -300};
      options.seed = seed_of(91);
      LanePair pair(options);
      pair.draw_lines(6);
      const unsigned all = (1U << shape.lanes) - 1;
      pair.in(0).prbs = pair.in(1).prbs = true;
      pair.in(0).prbs31 = pair.in(1).prbs31 = prbs31;
      pair.run(200);
      CHECK(pair.out(0).prbs_locked == all);
      CHECK(pair.out(1).prbs_locked == all);
      CHECK(!pair.out(0).up);
      pair.run(3000);
      const auto before = pair.out(0).prbs_errors;
      for (unsigned l = 0; l < shape.lanes; ++l) {
        CHECK(pair.out(0).prbs_errors[l] == 0);
        pair.line(0, l).bit_errors = 0.001;
      }
      pair.run(3000);
      for (unsigned l = 0; l < shape.lanes; ++l) pair.line(0, l).bit_errors = 0;
      pair.run(300);
      for (unsigned l = 0; l < shape.lanes; ++l) {
        const auto counted = static_cast<std::uint16_t>(pair.out(0).prbs_errors[l] - before[l]);
        CHECK(pair.line(0, l).flipped > 10);
        CHECK(counted == pair.line(0, l).flipped);
      }
      // The other sequence is none of this one's, and neither is a line that stands still.
      pair.in(1).prbs31 = !prbs31;
      pair.run(400);
      CHECK(pair.out(0).prbs_locked == 0);
      pair.in(1).prbs31 = prbs31;
      for (const unsigned dead : {0U, 1U}) {
        for (unsigned l = 0; l < shape.lanes; ++l) {
          pair.line(0, l).cut = true;
          pair.line(0, l).dead = dead;
        }
        pair.run(400);
        CHECK(pair.out(0).prbs_locked == 0);
      }
      for (unsigned l = 0; l < shape.lanes; ++l) pair.line(0, l).cut = false;
      pair.in(0).prbs = pair.in(1).prbs = false;
      CHECK(pair.run_until([&] { return pair.up(); }, 4000));
    }
  }
}
