// SPDX-License-Identifier: Apache-2.0
// A short campaign over Verilated QPACE nodes: nothing lost, every error accounted for, and all of
// it repeatable.
#include <catch2/catch.hpp>

#include "sim/qpace/campaign/run.hpp"
#include "tests/campaign/campaign_runs.hpp"

using namespace ht;
using namespace ht::campaign;

TEST_CASE("qpace campaign: a hundred runs, every packet and every error accounted for") {
  ScenarioOptions options;
  options.forged_every = 10;
  const CampaignResult r = runs_of(run_qpace, options, 100, 2);
  no_findings(r);
  const Tally& t = r.tally;
  // Something of everything happened.
  CHECK(t.packets.sent > 10'000);
  CHECK(t.packets.delivered + t.forced_delivered == t.packets.sent);
  // What the checksums tell of is counted as that, not as lost or altered besides.
  CHECK(t.packets.lost + t.packets.doubled + t.packets.altered + t.packets.misordered +
            t.packets.misrouted ==
        0);
  const Classes all = t.errors();
  for (const Class c : {Class::Code, Class::Framing, Class::Check, Class::Command, Class::Retrain,
                        Class::Harmless, Class::Caught}) {
    INFO(name(c));
    CHECK(all[c] > 0);
  }
  CHECK(all[Class::Undetected] == 0);
  for (std::size_t k = 0; k < sim::kErrorKinds; ++k) {
    INFO(sim::name(static_cast<sim::ErrorKind>(k)));
    // Lanes are exchanged only where that is asked for.
    CHECK((t.by_kind[k].total() > 0) ==
          (static_cast<sim::ErrorKind>(k) != sim::ErrorKind::Exchanged));
  }
  for (const char* place : {"idle", "header", "payload", "CRC", "command", "hello"})
    CHECK(t.by_place.at(place).total() > 0);
  for (const char* counter :
       {"BUSYs", "NACKs", "timeouts", "trainings", "packets sent again", "votes on the tree",
        "files read by Ethernet", "processors that stood still"})
    CHECK(t.counters.at(counter) > 0);
  Classes by_place;
  for (const auto& [place, classes] : t.by_place) by_place += classes;
  CHECK(by_place == all);
}

TEST_CASE("qpace campaign: the same on any number of threads, and run by run") {
  ScenarioOptions options;
  options.seed = 3;
  options.forged_every = 4;
  const CampaignResult one = runs_of(run_qpace, options, 12, 1);
  const CampaignResult three = runs_of(run_qpace, options, 12, 3);
  CHECK(one.tally == three.tally);
  Tally sum;
  for (std::uint64_t n = 0; n < 12; ++n) sum += runs_of(run_qpace, options, 1, 1, n).tally;
  CHECK(sum == one.tally);
  options.seed = 4;
  CHECK_FALSE(runs_of(run_qpace, options, 12, 2).tally == one.tally);
}

TEST_CASE("qpace campaign: exchanged lanes, alone and among other errors") {
  const Trouble exchanged_lanes = trouble_of(sim::ErrorKind::Exchanged);
  for (const auto& troubles :
       {std::vector{exchanged_lanes}, std::vector{Trouble::Bits, Trouble::Lost, exchanged_lanes}}) {
    ScenarioOptions options;
    options.troubles = troubles;
    options.forged_every = 0;
    const CampaignResult r = runs_of(run_qpace, options, 60, 2);
    no_findings(r);
    const Tally& t = r.tally;
    CHECK(t.packets.delivered == t.packets.sent);
    const Classes exchanged = t.by_kind[static_cast<std::size_t>(sim::ErrorKind::Exchanged)];
    CHECK(exchanged.total() > 30);
    CHECK(exchanged[Class::Undetected] == 0);
    CHECK(exchanged[Class::Harmless] < exchanged.total() / 2);
  }
}

TEST_CASE("qpace campaign: what vanishes without trace is noticed by gaps and timeouts") {
  ScenarioOptions options;
  options.troubles = {Trouble::Silent};
  options.forged_every = 0;
  const CampaignResult r = runs_of(run_qpace, options, 80, 2);
  no_findings(r);
  const Classes all = r.tally.errors();
  CHECK(all.total() == r.tally.by_kind[static_cast<std::size_t>(sim::ErrorKind::Silent)].total());
  CHECK(all[Class::Gap] + all[Class::Timeout] > 0);
  CHECK(r.tally.forced == 0);
}

TEST_CASE("qpace campaign: other shapes") {
  ScenarioOptions options;
  options.shape = {1};
  no_findings(runs_of(run_qpace, options, 4, 2));
  options.shape = {2, 2, 1};
  no_findings(runs_of(run_qpace, options, 3, 2));
}

TEST_CASE("qpace campaign: a bit flips where no code is, and each one's fate is told") {
  upsets_are_told(run_qpace, 160);
}
