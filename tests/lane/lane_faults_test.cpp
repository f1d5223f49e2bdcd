// SPDX-License-Identifier: Apache-2.0
// What goes wrong on a cable of lanes, and what its ends say of it.
#include "tests/lane/traffic.hpp"
#include "tests/support/power_on.hpp"

using namespace ht::test;

TEST_CASE("flipped bits: each spoils few words, none is lost, and the lanes stay up") {
  for (const Shape shape : kShapes) {
    PairOptions options;
    options.shape = shape;
    options.ppm = {200, -200};
    options.seed = seed_of(11);
    INFO(shape.bytes << " bytes on " << shape.lanes
                     << " lanes, HYPERTORUS_TEST_SEED=" << test_seed());
    Traffic traffic(options, {.longest = 34, .idle = 2});
    traffic.pair.draw_lines(8);
    traffic.begin();
    const double rate = 1.0 / (400.0 * 10 * shape.bytes);
    for (unsigned l = 0; l < shape.lanes; ++l) traffic.pair.line(0, l).bit_errors = rate;
    traffic.pair.run(20000);
    std::uint64_t flipped = 0;
    for (unsigned l = 0; l < shape.lanes; ++l) {
      traffic.pair.line(0, l).bit_errors = 0;
      flipped += traffic.pair.line(0, l).flipped;
    }
    traffic.pair.run(200);
    traffic.end();
    const WordCheck& damaged = traffic.checks[0];
    const WordCheck& good = traffic.checks[1];
    CHECK(flipped > 30);
    CHECK(traffic.pair.count_bad(0) > flipped / 2);
    // The character itself, and one behind it up to the next unbalanced sub-block; a set or an idle
    // word that is hit shows as a word that was not sent.
    CHECK(damaged.wrong() > flipped / 2);
    CHECK(damaged.wrong() <= 3 * flipped);
    CHECK(damaged.missing() <= 3 * flipped);
    CHECK(damaged.good() + damaged.missing() + damaged.waiting() == traffic.links[1].words());
    CHECK(damaged.good() + 3 * flipped >= traffic.links[1].words());
    CHECK(good.wrong() == 0);
    CHECK(good.missing() == 0);
    CHECK(traffic.pair.up());
    CHECK(traffic.pair.count_lost(0) == 0);
  }
}

TEST_CASE(
    "a flipped bit shows as an error character, or not at all, but never as another word than "
    "that") {
  // Each bit of some words in turn, with the seed's data.
  PairOptions options;
  options.shape = {4, 2};
  for (unsigned bit = 0; bit < 60; ++bit) {
    options.seed = seed_of(bit);
    Traffic traffic(options, {.longest = 34});
    traffic.begin();
    traffic.pair.run(100);
    traffic.pair.line(1, bit % 2).flips_at = traffic.pair.line(1, bit % 2).bits + 400 + bit;
    traffic.pair.run(400);
    traffic.end();
    INFO("bit " << bit << ": " << traffic.checks[1].first());
    CHECK(traffic.checks[1].wrong() + traffic.checks[1].missing() >= 1);
    CHECK(traffic.checks[1].wrong() <= 3);
    CHECK(traffic.pair.count_bad(1) >= 1);
    CHECK(traffic.pair.up());
  }
}

TEST_CASE("loss of signal on one lane or on all: both ends say so, and come back") {
  for (const Shape shape : kShapes) {
    for (unsigned kind = 0; kind < 5; ++kind) {
      // 0: the receiver sees it; 1 to 3: zeros, ones, noise that it takes for a signal; 4: its
      // clock stands
      for (const bool all : {false, true}) {
        if (all && shape.lanes == 1) continue;
        PairOptions options;
        options.shape = shape;
        options.ppm = {-300, 300};
        options.seed = seed_of(20 + kind);
        INFO(shape.bytes << " bytes on " << shape.lanes << " lanes, kind " << kind
                         << (all ? ", all" : ", one"));
        Traffic traffic(options, {.longest = 34});
        LanePair& pair = traffic.pair;
        pair.draw_lines(6);
        traffic.begin();
        pair.run(500);
        const auto each = [&](auto f) {
          for (unsigned l = all ? 0 : shape.lanes - 1; l < shape.lanes; ++l) f(pair.line(0, l));
        };
        each([&](LaneLine& line) {
          line.signal = kind != 0;
          line.cut = kind < 4;
          line.dead = kind == 2 ? 1 : kind == 3 ? 2 : 0;
          line.clock = kind != 4;
        });
        unsigned errors = 0, idles = 0, others = 0;
        REQUIRE(pair.run_until([&] { return pair.out(0).local_fault; }, 200));
        REQUIRE(pair.run_until([&] { return pair.out(1).remote_fault && !pair.out(1).up; }, 200));
        CHECK(!pair.out(0).up);
        CHECK(!pair.out(1).local_fault);
        // Its link receives errors and nothing else; the other end's receives idle words.
        pair.sink[0] = [&](const Word& w) { ++(w == error_word(shape.bytes) ? errors : others); };
        pair.sink[1] = [&](const Word& w) { ++(w == idle_word(shape.bytes) ? idles : others); };
        pair.run(3000);
        CHECK(errors > 2900);
        CHECK(idles > 2900);
        CHECK(others == 0);
        CHECK(pair.out(0).local_fault);
        CHECK(pair.out(1).remote_fault);
        const unsigned mask = (1U << shape.lanes) - 1;
        if (kind == 0) CHECK(pair.out(0).signal == (all ? 0 : mask >> 1));
        if (kind < 4) CHECK(pair.out(0).synced == (all ? 0 : mask >> 1));
        each([&](LaneLine& line) {
          line.signal = true;
          line.cut = false;
          line.clock = true;
          line.offset = static_cast<unsigned>(line.bits % 10);
        });
        traffic.sends = false;
        const bool came_up = pair.run_until([&] { return pair.up(); }, 2000);
        INFO("end 0: synced " << pair.out(0).synced << ", deskewed " << pair.out(0).deskewed
                              << ", mismatch " << pair.out(0).mismatch);
        REQUIRE(came_up);
        pair.run(200);
        Traffic* t = &traffic;
        for (unsigned i = 0; i < 2; ++i) {
          traffic.checks[i].start();
          pair.sink[i] = [t, i](const Word& w) { t->checks[i].received(w); };
        }
        const std::uint64_t wrong = traffic.checks[0].wrong() + traffic.checks[1].wrong();
        const std::uint64_t missing = traffic.checks[0].missing() + traffic.checks[1].missing();
        traffic.sends = true;
        pair.run(1500);
        traffic.end();
        CHECK(traffic.checks[0].wrong() + traffic.checks[1].wrong() == wrong);
        CHECK(traffic.checks[0].missing() + traffic.checks[1].missing() == missing);
        CHECK(traffic.checks[0].waiting() + traffic.checks[1].waiting() == 0);
      }
    }
  }
}

TEST_CASE(
    "a lane that loses or repeats words or bits: the lanes are brought beside one another again") {
  for (const bool bits : {false, true}) {
    for (const unsigned number : {1U, 3U}) {
      PairOptions options;
      options.shape = {4, 4};
      options.ppm = {100, -250};
      options.seed = seed_of(31);
      INFO(number << (bits ? " bits" : " words"));
      Traffic traffic(options, {.longest = 34});
      traffic.pair.draw_lines(5);
      traffic.begin();
      traffic.pair.run(300);
      (bits ? traffic.pair.line(1, 2).drop_bits : traffic.pair.line(1, 2).drop_words) = number;
      // Sets come every 512 words: four of them that do not fit decide it.
      REQUIRE(traffic.pair.run_until([&] { return traffic.pair.count_lost(1) > 0; }, 5 * 700));
      traffic.sends = false;
      REQUIRE(traffic.pair.run_until([&] { return !traffic.pair.up(); }, 100));
      REQUIRE(traffic.pair.run_until([&] { return traffic.pair.up(); }, 2000));
      traffic.pair.run(200);
      traffic.checks[1].start();
      const auto wrong = traffic.checks[1].wrong();
      traffic.sends = true;
      traffic.pair.run(2000);
      traffic.end();
      CHECK(traffic.checks[1].wrong() == wrong);
      CHECK(traffic.checks[1].waiting() == 0);
    }
  }
}

TEST_CASE("lanes that differ by more than they may: never up, and up when they do not") {
  PairOptions options;
  options.shape = {4, 4};
  options.seed = seed_of(41);
  LanePair pair(options);
  pair.line(0, 2).delay += 20 * options.period;
  CHECK(!pair.bring_up(8000));
  CHECK(pair.out(0).local_fault);
  CHECK(!pair.out(0).deskewed);
  CHECK(pair.out(0).synced == 15);
  CHECK(pair.out(1).remote_fault);
  pair.line(0, 2).delay -= 6 * options.period;
  CHECK(pair.bring_up(2000));
}

TEST_CASE("power-on of one end, at any time: the other one says so, and words pass again") {
  for (unsigned trial = 0; trial < 6; ++trial) {
    const RandomPowerOn registers(trial);
    PairOptions options;
    options.shape = kShapes[trial % kShapes.size()];
    options.ppm = {300, -300};
    options.seed = seed_of(50 + trial);
    Traffic traffic(options, {.longest = 34});
    traffic.pair.draw_lines(7);
    traffic.begin();
    traffic.pair.run(400 + 37 * trial);
    traffic.pair.reset(trial % 2);
    REQUIRE(traffic.pair.run_until(
        [&] {
          return traffic.pair.out(1 - trial % 2).local_fault ||
                 traffic.pair.out(1 - trial % 2).remote_fault;
        },
        300));
    traffic.sends = false;
    REQUIRE(traffic.pair.run_until([&] { return traffic.pair.up(); }, 3000));
    traffic.pair.run(200);
    std::array<std::uint64_t, 2> wrong{};
    for (unsigned i = 0; i < 2; ++i) {
      traffic.checks[i].start();
      wrong[i] = traffic.checks[i].wrong();
    }
    traffic.sends = true;
    traffic.pair.run(1500);
    traffic.end();
    for (unsigned i = 0; i < 2; ++i) {
      CHECK(traffic.checks[i].wrong() == wrong[i]);
      CHECK(traffic.checks[i].waiting() == 0);
    }
  }
}

TEST_CASE("lanes that do not match: crossed, or other numbers of them: reported, and never up") {
  SECTION("two lanes are crossed") {
    PairOptions options;
    options.shape = {4, 4};
    LanePair pair(options);
    std::swap(pair.line(0, 1).from, pair.line(0, 2).from);
    CHECK(!pair.bring_up(6000));
    CHECK(pair.out(0).mismatch == 0b0110);
    CHECK(pair.out(0).local_fault);
    CHECK(pair.out(1).remote_fault);
    CHECK(pair.out(1).mismatch == 0);
    std::swap(pair.line(0, 1).from, pair.line(0, 2).from);
    CHECK(pair.bring_up(3000));
    CHECK(pair.out(0).mismatch == 0);
  }
  SECTION("four lanes at one end, one at the other, each of one character a word") {
    PairOptions options;
    options.shape = {4, 4};
    options.other = {1, 1};
    LanePair pair(options);
    CHECK(!pair.bring_up(6000));
    CHECK((pair.out(0).mismatch & 1U) == 1);
    CHECK(pair.out(1).mismatch == 1);
    CHECK(pair.out(0).local_fault);
    CHECK(pair.out(1).local_fault);
  }
  SECTION("two lanes at one end, eight at the other, each of two characters a word") {
    PairOptions options;
    options.shape = {4, 2};
    options.other = {16, 8};
    LanePair pair(options);
    CHECK(!pair.bring_up(6000));
    CHECK(pair.out(0).mismatch == 0b11);
    CHECK((pair.out(1).mismatch & 0b11U) == 0b11);
  }
}

TEST_CASE("a lane whose two wires are swapped is a mismatch, and the bundle never up") {
  for (const Shape shape : kShapes) {
    for (unsigned lane = 0; lane < shape.lanes; ++lane) {
      INFO(shape.bytes << " bytes, lane " << lane << " of " << shape.lanes);
      PairOptions options;
      options.shape = shape;
      options.seed = seed_of(lane);
      LanePair pair(options);
      pair.line(0, lane).inverted = true;
      CHECK(!pair.bring_up(6000));
      // Nor by a bit that is flipped in what tells.
      pair.line(0, lane).bit_errors = 2e-4;
      CHECK(!pair.bring_up(60'000));
      pair.line(0, lane).bit_errors = 0;
      CHECK(!pair.bring_up(2000));
      CHECK(pair.out(0).mismatch == 1U << lane);
      CHECK(pair.out(0).local_fault);
      CHECK(pair.out(1).remote_fault);
      CHECK(pair.out(1).mismatch == 0);
      pair.line(0, lane).inverted = false;
      CHECK(pair.bring_up(6000));
      CHECK(pair.out(0).mismatch == 0);
    }
  }
}

// A SKIP may be left out of the very set that begins the peer's training; what is behind it is no
// word of a link.
TEST_CASE("training that begins at any time is nothing that a link receives") {
  unsigned dropped = 0;
  for (const Shape shape : kShapes) {
    for (std::uint64_t trial = 0; trial < 60; ++trial) {
      INFO(shape.bytes << " bytes on " << shape.lanes << " lanes, trial " << trial);
      PairOptions options;
      options.shape = shape;
      options.ppm = {-300, 300};
      options.seed = seed_of(trial);
      LanePair pair(options);
      unsigned others = 0;
      REQUIRE(pair.bring_up());
      // Nobody sends: idle words, and errors while the end that receives has a fault of its own,
      // are all there is.
      for (unsigned i = 0; i < 2; ++i)
        pair.sink[i] = [&](const Word& w) {
          others += w != idle_word(shape.bytes) && w != error_word(shape.bytes) ? 1 : 0;
        };
      pair.run(4500 + trial * 137 % 3400);  // the first SKIP is left out after some 5,000 words
      pair.line(1, 0).signal = false;
      REQUIRE(pair.run_until([&] { return pair.out(1).local_fault; }, 200));
      const std::uint64_t before = pair.count_dropped(0);
      pair.run(150);
      dropped += pair.count_dropped(0) > before ? 1 : 0;
      pair.line(1, 0).signal = true;
      CHECK(pair.bring_up(6000));
      CHECK(others == 0);
    }
  }
  CHECK(dropped > 5);
}

TEST_CASE("a link that leaves no room: said so, and no more once it does") {
  PairOptions options;
  options.shape = {4, 1};
  options.seed = seed_of(61);
  Traffic traffic(options, {.longest = 34, .pauses = false});
  traffic.begin();
  REQUIRE(traffic.pair.run_until([&] { return traffic.pair.out(0).late; }, 1300));
  CHECK(traffic.pair.out(0).tx_pause);
  traffic.sends = false;
  traffic.pair.run(20);
  CHECK(!traffic.pair.out(0).late);
  CHECK(!traffic.pair.out(0).tx_pause);
}
