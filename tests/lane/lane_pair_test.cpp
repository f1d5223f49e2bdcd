// SPDX-License-Identifier: Apache-2.0
// Two bundles and a good cable: whatever the clocks, their phases, the lanes' delays and where
// words are cut, every word arrives once, in order and unaltered.
#include <cmath>

#include "tests/lane/traffic.hpp"

using namespace ht::test;

namespace {

std::string name(Shape shape) {
  return std::to_string(shape.bytes) + " bytes on " + std::to_string(shape.lanes) + " lanes";
}

}  // namespace

TEST_CASE(
    "lanes of every number: frames arrive word for word, clocks up to 300 ppm off at each end") {
  std::uint64_t added = 0, dropped = 0;
  for (const Shape shape : kShapes) {
    for (unsigned trial = 0; trial < 4; ++trial) {
      std::mt19937_64 random(seed_of(100 + trial));
      std::uniform_real_distribution<double> ppm(-300, 300);
      PairOptions options;
      options.shape = shape;
      options.seed = seed_of(trial);
      options.ppm = {ppm(random), ppm(random)};
      if (trial < 2) options.ppm = {trial == 0 ? 300.0 : -300.0, trial == 0 ? -300.0 : 300.0};
      options.phase = static_cast<Femtoseconds>(random() % 4'000'000);
      INFO(name(shape) << ", " << options.ppm[0] << " and " << options.ppm[1] << " ppm, trial "
                       << trial << ", HYPERTORUS_TEST_SEED=" << test_seed());
      Traffic traffic(options,
                      {.longest = trial % 2 == 0 ? 34U : 128U, .idle = trial == 3 ? 20.0 : 0.0});
      traffic.pair.draw_lines(14);
      traffic.begin();
      const std::uint64_t words = shape.bytes == 16 ? 6000 : 12000;
      traffic.pair.run(words);
      traffic.end();
      traffic.check_all_arrived(words / 2);
      // One word is added or dropped for each by which the clocks differ.
      const double drift =
          (options.ppm[1] - options.ppm[0]) * 1e-6 * static_cast<double>(traffic.pair.words(0));
      const double net = static_cast<double>(traffic.pair.count_dropped(0)) -
                         static_cast<double>(traffic.pair.count_added(0));
      CHECK(std::abs(net - drift) < 4);
      added += traffic.pair.count_added(0) + traffic.pair.count_added(1);
      dropped += traffic.pair.count_dropped(0) + traffic.pair.count_dropped(1);
    }
  }
  CHECK(added > 30);
  CHECK(dropped > 30);
}

TEST_CASE(
    "a long time at 600 ppm between the ends: no word is lost, sets cost at most half a percent") {
  for (const double sign : {1.0, -1.0}) {
    PairOptions options;
    options.shape = {4, 1};
    options.ppm = {300 * sign, -300 * sign};
    options.seed = seed_of(7);
    Traffic traffic(options, {.longest = 34});
    traffic.pair.draw_lines(1);
    traffic.begin();
    const auto words = traffic.pair.words(0);
    traffic.pair.run(100000);
    const auto taken = traffic.pair.words(0) - words;
    // A link that always has something to send leaves out two words a pause, and nothing else.
    CHECK(taken - traffic.links[0].words() == 2 * traffic.links[0].pauses());
    CHECK(static_cast<double>(2 * traffic.links[0].pauses()) <= 0.005 * static_cast<double>(taken));
    CHECK(traffic.links[0].pauses() >= taken / 600);
    traffic.end();
    traffic.check_all_arrived(99000);
    const auto& pair = traffic.pair;
    // 100,000 words at 600 ppm are 60.
    CHECK(pair.count_dropped(sign > 0 ? 1 : 0) >= 58);
    CHECK(pair.count_dropped(sign > 0 ? 1 : 0) <= 62);
    CHECK(pair.count_added(sign > 0 ? 0 : 1) >= 58);
    CHECK(pair.count_added(sign > 0 ? 0 : 1) <= 62);
    CHECK(pair.count_added(sign > 0 ? 1 : 0) == 0);
    CHECK(pair.count_dropped(sign > 0 ? 0 : 1) == 0);
  }
}

TEST_CASE("equal clocks: nothing is added or dropped, at any phase of every clock") {
  for (unsigned phase = 0; phase < 16; ++phase) {
    PairOptions options;
    options.shape = {4, 4};
    options.phase = phase * 250'000 + 1;
    options.seed = seed_of(phase);
    INFO("phase " << phase);
    Traffic traffic(options, {.longest = 34});
    traffic.pair.draw_lines(3);
    traffic.begin();
    const auto before = traffic.pair.count_added(0) + traffic.pair.count_dropped(0);
    traffic.pair.run(3000);
    traffic.end();
    traffic.check_all_arrived(2500);
    CHECK(traffic.pair.count_added(0) + traffic.pair.count_dropped(0) - before <= 1);
  }
}

TEST_CASE("a word every eight cycles, and receivers' clocks with jitter of half a word") {
  PairOptions options;
  options.shape = {1, 1};
  options.every = 8;
  options.period = 500'000;
  options.ppm = {300, -300};
  options.seed = seed_of(3);
  Traffic traffic(options, {.longest = 9});
  traffic.pair.draw_lines(5);
  for (const unsigned end : {0U, 1U}) traffic.pair.line(end, 0).jitter = 2'000'000;
  traffic.begin();
  traffic.pair.run(8000);
  traffic.end();
  traffic.check_all_arrived(7500);
}

TEST_CASE("lanes whose delays wander by eight words while frames pass") {
  PairOptions options;
  options.shape = {4, 4};
  options.ppm = {-120, 250};
  options.seed = seed_of(4);
  Traffic traffic(options, {.longest = 34});
  traffic.pair.draw_lines(4);
  traffic.begin();
  // One lane becomes longer, another one shorter than it was, by a ten-thousandth of a word a word.
  auto& longer = traffic.pair.line(0, 1);
  auto& shorter = traffic.pair.line(0, 3);
  shorter.delay += 16'000'000;
  for (unsigned n = 0; n < 400; ++n) {
    traffic.pair.run(50);
    longer.delay += 40'000;
    shorter.delay -= 40'000;
  }
  traffic.end();
  traffic.check_all_arrived(19000);
}

TEST_CASE("latency from word to word, without cable") {
  for (const Shape shape : kShapes) {
    std::uint64_t least = 1000, most = 0;
    for (unsigned phase = 0; phase < 8; ++phase) {
      for (unsigned offset = 0; offset < 10 * shape.bytes / shape.lanes; offset += 3) {
        PairOptions options;
        options.shape = shape;
        options.phase = phase * 500'000;
        LanePair pair(options);
        for (unsigned l = 0; l < shape.lanes; ++l) {
          pair.line(1, l).delay = 1;
          pair.line(1, l).offset = offset;
        }
        REQUIRE(pair.bring_up());
        pair.run(200);
        Word word = idle_word(shape.bytes);
        word.data[0] = 0xfb;
        std::uint64_t sent = 0, came = 0;
        pair.source[0] = [&](const BundleOutputs&) {
          if (sent != 0) return idle_word(shape.bytes);
          sent = pair.words(0) + 1;
          return word;
        };
        pair.sink[1] = [&](const Word& w) {
          if (w == word && came == 0) came = pair.words(1) + 1;
        };
        pair.run(60);
        REQUIRE(sent != 0);
        REQUIRE(came > sent);
        least = std::min(least, came - sent);
        most = std::max(most, came - sent);
      }
    }
    WARN(name(shape) << ": " << least << " to " << most << " words from port to port");
    CHECK(least == 15);
    CHECK(most == 17);
  }
}
