// SPDX-License-Identifier: Apache-2.0
// The driver of campaigns, over runs that are made up.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <set>
#include <stdexcept>

#include "sim/campaign/campaign.hpp"
#include "sim/campaign/draw.hpp"
#include "sim/campaign/scenario.hpp"
#include "sw/host/errors.hpp"

using namespace ht::campaign;

namespace {

RunOutcome made_up(std::uint64_t run) {
  if (run % 100 == 42) throw std::runtime_error("run " + std::to_string(run) + " threw");
  RunOutcome o;
  o.tally.by_kind[0][Class::Check] = run;
  o.tally.by_place["idle"][Class::Code] = 1;
  o.tally.packets.sent = o.tally.packets.delivered = 3;
  o.tally.counters["x"] = 2;
  if (run % 10 == 7) o.findings.push_back({run, 1, 2, "something"});
  return o;
}

}  // namespace

TEST_CASE("campaign: sums, findings by run, and the same from any number of threads") {
  CampaignOptions options;
  options.first = 5;
  options.runs = 300;
  std::uint64_t calls = 0;
  const CampaignResult one =
      run_campaign(options, made_up, [&](const CampaignResult& r) { calls = r.done; });
  CHECK(calls == 300);
  CHECK(one.done == 300);
  CHECK(one.failed == 33);  // 30 found something, 3 threw
  std::uint64_t sum = 0;
  for (std::uint64_t run = 5; run < 305; ++run) sum += run % 100 == 42 ? 0 : run;
  CHECK(one.tally.by_kind[0][Class::Check] == sum);
  CHECK(one.tally.by_place.at("idle").total() == 297);
  CHECK(one.tally.packets.sent == 3 * 297);
  CHECK(one.tally.counters.at("x") == 2 * 297);
  REQUIRE(one.findings.size() == 33);
  CHECK(one.findings[0] == Finding{7, 1, 2, "something"});
  CHECK(one.findings[4] == Finding{42, -1, -1, "run 42 threw"});
  for (const unsigned threads : {2U, 7U, 1000U}) {
    options.threads = threads;
    const CampaignResult many = run_campaign(options, made_up);
    CHECK(many.tally == one.tally);
    CHECK(many.findings == one.findings);
    CHECK(many.failed == one.failed);
  }
  options.most_findings = 3;
  CHECK(run_campaign(options, made_up).findings.size() == 3);
  CHECK(run_campaign(options, made_up).findings[2].run == 27);
}

TEST_CASE("campaign: gone on with, it comes to the same as in one go") {
  CampaignOptions options;
  options.first = 3;
  options.runs = 250;
  const CampaignResult whole = run_campaign(options, made_up);
  CHECK(whole.runs.text() == "3-252");
  for (const unsigned threads : {1U, 3U}) {
    for (const std::uint64_t stop_at : {3U, 4U, 41U, 42U, 251U, 252U}) {
      std::atomic<bool> stop{false};
      std::set<std::uint64_t> seen;
      CampaignOptions first = options;
      first.stop = &stop;
      first.threads = threads;
      const CampaignResult half = run_campaign(first, [&](std::uint64_t run) {
        if (run == stop_at) stop = true;
        return made_up(run);
      });
      CHECK(half.runs.size() == half.done);
      const auto rest = [&](std::uint64_t run) {
        CHECK(!half.runs.contains(run));
        return made_up(run);
      };
      const CampaignResult all = run_campaign(options, rest, {}, half);
      CHECK(all.tally == whole.tally);
      CHECK(all.findings == whole.findings);
      CHECK(all.failed == whole.failed);
      CHECK(all.runs == whole.runs);
      CHECK(!all.interrupted);
    }
  }
}

TEST_CASE("campaign: sets of numbers are what is added to them, and read as they are written") {
  Draw draw(1, 2, 3);
  for (int i = 0; i < 300; ++i) {
    NumberRanges ranges;
    std::set<std::uint64_t> numbers;
    for (auto n = draw.below(12); n > 0; --n) {
      const std::uint64_t first = draw.below(40), last = first + draw.below(5);
      ranges.add(first, last);
      for (std::uint64_t k = first; k <= last; ++k) numbers.insert(k);
    }
    INFO(ranges.text());
    CHECK(ranges.size() == numbers.size());
    for (std::uint64_t k = 0; k < 50; ++k) CHECK(ranges.contains(k) == numbers.contains(k));
    CHECK(NumberRanges::parse("--keep", ranges.text()) == ranges);
    if (numbers.empty()) continue;
    CHECK(ranges.lowest() == *numbers.begin());
    CHECK(ranges.highest() == *numbers.rbegin());
  }
  for (const char* bad : {",", "1,", ",1", "1,,2", "-1", "1-", "3-2", "a", "1;2", "1, 2", "1,1",
                          "2-4,3", "1-2-3", "0x1", "18446744073709551616", "9999999999999"}) {
    INFO(bad);
    CHECK_THROWS_AS(NumberRanges::parse("--keep", bad), ht::UsageError);
  }
}

TEST_CASE("campaign: times to detection add up in any order") {
  Detection a{2, 30, 20, 9}, b{1, 20, 20, 4}, c{3, 90, 50, 7};
  Detection sum = a;
  sum += b;
  CHECK(sum == Detection{3, 50, 20, 4});
  sum += c;
  CHECK(sum == Detection{6, 140, 50, 7});
  Detection other = c;
  other += Detection{};
  other += b;
  other += a;
  CHECK(other == sum);
  CHECK(sum.mean() == Approx(140.0 / 6));
}

TEST_CASE("campaign: stops when asked to, and says so") {
  std::atomic<bool> stop{false};
  CampaignOptions options;
  options.runs = 100;
  options.stop = &stop;
  const auto result = run_campaign(options, [&](std::uint64_t run) {
    if (run == 9) stop = true;
    return made_up(run);
  });
  CHECK(result.interrupted);
  CHECK(result.done == 10);
}

TEST_CASE("campaign: what is wrong with a file ends it, and is no finding") {
  for (const unsigned threads : {1U, 4U}) {
    for (const std::uint64_t bad : {0U, 17U, 99U}) {
      CampaignOptions options;
      options.runs = 100;
      options.threads = threads;
      const auto run = [&](std::uint64_t number) {
        if (number == bad) throw ht::DataError("the disk is full");
        return RunOutcome{};
      };
      CHECK_THROWS_AS(run_campaign(options, run), ht::DataError);
    }
  }
}

TEST_CASE("campaign: what goes wrong as its runs are kept ends it, on whichever thread") {
  for (const unsigned threads : {1U, 4U}) {
    // Many times: threads that wait for their turn as it goes wrong must not get one any more.
    for (int round = 0; round < 200; ++round) {
      CampaignOptions options;
      options.runs = 1000;
      options.threads = threads;
      int kept = 0;
      REQUIRE_THROWS_WITH(run_campaign(
                              options, [](std::uint64_t) { return RunOutcome{}; },
                              [&](const CampaignResult&) {
                                if (++kept == 5) throw ht::DataError("no room");
                              }),
                          "no room");
      REQUIRE(kept == 5);
    }
  }
}

TEST_CASE("campaign: random numbers of different seeds, runs and purposes differ") {
  std::set<std::uint64_t> seen;
  for (std::uint64_t seed : {1ULL, 2ULL, 1ULL << 32}) {
    for (std::uint64_t run : {0ULL, 1ULL, 1ULL << 32}) {
      for (std::uint32_t purpose : {0U, 1U}) {
        Draw a(seed, run, purpose), b(seed, run, purpose);
        for (int i = 0; i < 10; ++i) {
          const std::uint64_t x = a.bits();
          CHECK(x == b.bits());
          seen.insert(x);
        }
      }
    }
  }
  CHECK(seen.size() == 180);
}

TEST_CASE("campaign: worlds are drawn over all of their range, and the same for a run again") {
  ScenarioOptions options;
  World usual;
  usual.cable_delay = 120'000;
  int own_cables = 0, random_state = 0, stalled = 0, fast = 0;
  std::set<std::string> different;
  ht::Picoseconds shortest = 1'000'000, longest = 0, slowest = 0;
  constexpr int runs = 2'000;
  for (std::uint64_t run = 0; run < runs; ++run) {
    const World w = draw_world(options, run, usual);
    CHECK(w.describe() == draw_world(options, run, usual).describe());
    different.insert(w.describe());
    CHECK(w.cable_delay >= 10'000);
    CHECK(w.longest_cable() <= 1'000'000);
    CHECK(w.memory_latency >= 20'000);
    CHECK(w.memory_latency + w.memory_spread <= 1'000'000);
    CHECK(w.memory_stalls < 200);
    shortest = std::min(shortest, w.cable_delay);
    longest = std::max(longest, w.longest_cable());
    slowest = std::max(slowest, w.memory_latency + w.memory_spread);
    if (w.longest_cable() == usual.cable_delay) ++own_cables;
    if (w.random_state) ++random_state;
    if (w.memory_stalls > 0) ++stalled;
    if (w.memory_latency == 20'000 && w.memory_spread == 0) ++fast;
  }
  CHECK(different.size() > runs / 2);
  CHECK(shortest < 20'000);
  CHECK(longest > 990'000);
  CHECK(slowest > 990'000);
  // Shares as sim/campaign/README.md states them, within four standard deviations.
  CHECK(std::abs(own_cables - runs / 2) < 90);
  CHECK(std::abs(random_state - runs * 3 / 4) < 80);
  CHECK(std::abs(stalled - runs / 3) < 90);
  CHECK(std::abs(fast - runs / 3) < 90);

  options.draw_world = false;
  CHECK(draw_world(options, 1, usual).describe() == usual.describe());
}
