// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>

#include "sim/campaign/campaign.hpp"
#include "sim/campaign/scenario.hpp"

namespace ht::campaign {

/// Runs [first, first + runs) of a machine's campaign: `one` runs one of them.
template <class RunOne>
CampaignResult runs_of(RunOne one, const ScenarioOptions& options, std::uint64_t runs,
                       unsigned threads, std::uint64_t first = 0) {
  CampaignOptions c;
  c.first = first;
  c.runs = runs;
  c.threads = threads;
  return run_campaign(c, [&](std::uint64_t n) { return one(options, n, nullptr); });
}

inline void no_findings(const CampaignResult& r) {
  for (const Finding& f : r.findings) {
    INFO("run " << f.run << ", node " << f.node << ", link " << f.link << ": " << f.what);
    CHECK(false);
  }
}

/// Runs of upsets: each flips one bit or comes too late for it, is no finding, and is the same on
/// any number of threads; some bits do nothing, others do something.
inline void upsets_are_told(RunOutcome (*run)(const ScenarioOptions&, std::uint64_t, Closer*)) {
  ScenarioOptions options;
  options.forged_every = 0;
  options.troubles = {Trouble::Upsets};
  constexpr std::uint64_t runs = 48;
  const CampaignResult r = runs_of(run, options, runs, 2);
  no_findings(r);
  CHECK(r.tally.errors().total() == 0);
  const auto harmless = upsets(r.tally, Upset::Harmless);
  const auto seen = upsets(r.tally, Upset::Noticed) + upsets(r.tally, Upset::Unnoticed);
  CHECK(harmless > runs / 4);
  CHECK(seen > 0);
  CHECK(harmless + seen <= runs);
  CHECK(harmless + seen > runs / 2);
  const auto& p = r.tally.packets;
  if (seen == 0) CHECK(p.delivered == p.sent);
  CHECK(runs_of(run, options, 6, 1).tally == runs_of(run, options, 6, 3).tally);
  Closer closer;
  run(options, 0, &closer);
  INFO(closer.lines.back());
  CHECK(closer.lines.size() > 1);
}

}  // namespace ht::campaign
