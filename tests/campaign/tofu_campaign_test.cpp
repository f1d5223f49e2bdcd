// SPDX-License-Identifier: Apache-2.0
// A short campaign over Verilated Tofu nodes: every operation of barrier gates ends once and with
// the exact bits, every error is accounted for, and all of it is repeatable.
#include <catch2/catch.hpp>

#include "sim/campaign/tofu_run.hpp"
#include "sw/host/errors.hpp"
#include "tests/campaign/campaign_runs.hpp"

using namespace ht;
using namespace ht::campaign;

namespace {

ScenarioOptions small() {
  ScenarioOptions options;
  options.shape = {2, 1, 1, 2, 1, 1};
  return options;
}

}  // namespace

TEST_CASE("tofu campaign: some runs, every operation and every error accounted for") {
  ScenarioOptions options = small();
  options.forged_every = 4;
  const CampaignResult r = runs_of(run_tofu, options, 12, 2);
  no_findings(r);
  const Tally& t = r.tally;
  CHECK(t.packets.sent > 200);
  CHECK(t.packets.delivered + t.forced_delivered == t.packets.sent);
  const Classes all = t.errors();
  for (const Class c : {Class::Code, Class::Retrain, Class::Harmless, Class::Caught}) {
    INFO(name(c));
    CHECK(all[c] > 0);
  }
  CHECK(all[Class::Undetected] == 0);
  CHECK(t.forced == 3);
  Classes by_place;
  for (const auto& [place, classes] : t.by_place) by_place += classes;
  CHECK(by_place == all);
  for (const char* counter : {"sent again", "NACKs", "packets to gates"})
    CHECK(t.counters.at(counter) > 0);
}

TEST_CASE("tofu campaign: the same on any number of threads") {
  ScenarioOptions options = small();
  options.shape = {1, 1, 1, 2, 1, 1};
  options.seed = 3;
  options.forged_every = 0;
  const CampaignResult one = runs_of(run_tofu, options, 3, 1);
  no_findings(one);
  CHECK(one.tally == runs_of(run_tofu, options, 3, 3).tally);
}

TEST_CASE("tofu campaign: shapes the hardware does not have are refused") {
  CHECK_THROWS_AS(tofu_shape({1, 1, 1, 1, 4, 1}), UsageError);
  CHECK(tofu_shape({2, 1, 1, 2}).nodes() == 4);
}
