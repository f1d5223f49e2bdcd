// SPDX-License-Identifier: Apache-2.0
// Failing runs made smaller, over runs that are made up.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "sim/campaign/draw.hpp"
#include "sim/campaign/pieces.hpp"
#include "sim/campaign/shrink.hpp"
#include "sw/host/errors.hpp"

using namespace ht::campaign;

namespace {

/// A run that finds something if all of `needed` are there; and something else if `also` is.
struct MadeUp {
  Drawn drawn;
  std::set<std::size_t> needed;
  std::size_t also = 1'000'000;
  std::uint64_t calls = 0;

  RunOutcome operator()(const NumberRanges* keep, Closer& closer) {
    ++calls;
    closer.drawn = drawn;
    closer.lines = {keep == nullptr ? "all" : keep->text()};
    const auto there = [&](std::size_t n) { return keep == nullptr || keep->contains(n); };
    RunOutcome o;
    if (also < drawn.errors + drawn.messages && there(also))
      o.findings.push_back({7, 0, 0, "something else"});
    if (std::ranges::all_of(needed, there))
      o.findings.push_back({7, 1, 2, "packet " + std::to_string(calls) + " lost"});
    return o;
  }
};

}  // namespace

TEST_CASE("shrink: what is left is what the finding needs, whatever that is") {
  Draw draw(5, 0, 0);
  for (int i = 0; i < 200; ++i) {
    MadeUp run;
    run.drawn = {draw.below(30), draw.below(200)};
    const std::size_t all = run.drawn.errors + run.drawn.messages;
    for (auto n = draw.below(6); n > 0 && all > 0; --n) run.needed.insert(draw.below(all));
    const Shrunk s = shrink([&](const NumberRanges* k, Closer& c) { return run(k, c); });
    REQUIRE(s.failed);
    CHECK(s.smallest);
    CHECK(s.tried == run.calls);
    CHECK(s.kept == NumberRanges({run.needed.begin(), run.needed.end()}));
    CHECK(s.left.errors + s.left.messages == run.needed.size());
    CHECK(s.drawn == run.drawn);
    CHECK(s.lines.front() == (s.kept.size() == all ? "all" : s.kept.text()));
    CHECK(s.tried < 200);
  }
}

TEST_CASE("shrink: another finding does not stand for the first") {
  MadeUp run;
  run.drawn = {10, 10};
  run.needed = {3, 12};
  run.also = 5;
  const Shrunk s = shrink([&](const NumberRanges* k, Closer& c) { return run(k, c); });
  CHECK(s.finding.what == "something else");
  CHECK(s.kept.text() == "5");
  CHECK(same_finding({1, 2, 3, "packet 17 at 0x3f lost"}, {9, 2, 3, "packet 4 at 0x0 lost"}));
  CHECK(!same_finding({1, 2, 3, "packet 17 lost"}, {1, 2, 3, "packet 17 doubled"}));
  CHECK(!same_finding({1, 2, 3, "packet 17 lost"}, {1, 2, 4, "packet 17 lost"}));
}

TEST_CASE(
    "shrink: a run that finds nothing is left alone, and one that takes too long is given up") {
  MadeUp run;
  run.drawn = {20, 20};
  run.needed = {1, 7, 30};
  for (const std::uint64_t most : {1U, 2U, 10U, 30U}) {
    run.calls = 0;
    const Shrunk s = shrink([&](const NumberRanges* k, Closer& c) { return run(k, c); }, most);
    CHECK(s.failed);
    CHECK(!s.smallest);
    CHECK(run.calls <= most);
    for (const std::size_t n : run.needed) CHECK(s.kept.contains(n));
  }
  std::atomic<bool> stop{true};
  CHECK(!shrink([&](const NumberRanges* k, Closer& c) { return run(k, c); }, 2000, &stop).smallest);
  const Shrunk nothing = shrink([](const NumberRanges*, Closer&) { return RunOutcome{}; });
  CHECK(!nothing.failed);
  CHECK(nothing.tried == 1);
}

TEST_CASE("pieces: every error and message of a run has a number, and is kept by it") {
  Scenario whole;
  whole.faults.resize(4);
  whole.faults[0].bit_error_rate = 1e-4;
  whole.faults[0].bursts = {{100, 3, {}}, {200, 4, 1U}};
  whole.faults[1].lost = {{300, true}};
  whole.faults[1].doubled = {{310, true}};
  whole.faults[1].pulls = whole.faults[2].pulls = {{400, 500, false}, {600, 700, true}};
  whole.faults[2].lane_faults = {{ht::sim::ErrorKind::Stuck, 0, 1, 10, 20}};
  whole.faults[3].forced = {{5, {}}};
  whole.faults[3].aimed = {{50, ht::sim::Target::Hello, 0, {}}};
  whole.forged_cable = 3;
  const std::vector<int> sent = {1, 2, 3};
  const auto kept = [&](const std::optional<NumberRanges>& keep, std::vector<int>& messages) {
    ScenarioOptions options;
    options.keep = keep;
    Scenario s = whole;
    PieceFilter filter(options, 17, s);
    filter.errors();
    messages = sent;
    filter.messages(messages);
    filter.close();
    return s;
  };
  const auto errors = [](const Scenario& s) {
    std::size_t lines = 0;
    for (const auto& plan : s.faults) lines += describe_plan(plan).size();
    return lines;
  };
  std::vector<int> messages;
  const Scenario all = kept({}, messages);
  CHECK(all.drawn == Drawn{10, 3});
  CHECK(!all.reduced);
  CHECK(messages == sent);
  CHECK(errors(all) == 12);  // both directions of two pulls
  for (std::size_t n = 0; n < 13; ++n) {
    const Scenario one = kept(NumberRanges({n}), messages);
    INFO(n);
    CHECK(one.drawn == all.drawn);
    CHECK(one.reduced);
    CHECK(messages.size() == (n < 10 ? 0 : 1));
    const std::size_t pull = n == 5 || n == 6 ? 2 : 1;
    CHECK(errors(one) == (n < 10 ? pull : 0));
    CHECK(one.faults[1].pulls.size() == one.faults[2].pulls.size());
    CHECK((one.forged_cable == 3) == !one.faults[3].forced.empty());
  }
  CHECK(errors(kept(NumberRanges{}, messages)) == 0);
  CHECK_THROWS_WITH(kept(NumberRanges({13}), messages), Catch::Contains("numbers 0 to 12"));
}
