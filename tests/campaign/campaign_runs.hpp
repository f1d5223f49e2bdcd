// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>
#include <string>

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
/// any number of threads; some bits do nothing, others do something, and the fate that is counted
/// is the one that what came of it says. `some_noticed`: by the hardware, in so many runs.
inline void upsets_are_told(RunOutcome (*run)(const ScenarioOptions&, std::uint64_t, Closer*),
                            std::uint64_t runs, bool some_noticed = true) {
  ScenarioOptions options;
  options.forged_every = 0;
  options.troubles = {Trouble::Upsets};
  std::uint64_t harmless = 0, noticed = 0, unnoticed = 0;
  for (std::uint64_t number = 0; number < runs; ++number) {
    Closer closer;
    const RunOutcome outcome = run(options, number, &closer);
    INFO("run " << number << ": " << closer.lines.back());
    CHECK(outcome.findings.empty());
    CHECK(outcome.tally.errors().total() == 0);
    std::string fate, came;
    for (const std::string& line : closer.lines) {
      const auto at = line.find(" flipped: ");
      if (at != std::string::npos) fate = line.substr(at + 10);
      if (line.find("came of it: ") != std::string::npos) came += line + '\n';
    }
    const auto said = [&](const char* what) { return came.find(what) != std::string::npos; };
    const bool complained = said("checksums at both ends differ") || said("it came to no end") ||
                            said("did not come to rest") || said("could not be read");
    CHECK((!complained || fate == "noticed"));
    CHECK((fate != "unnoticed" || !came.empty()));
    CHECK((fate != "harmless" || came.empty()));
    CHECK((!fate.empty() || came.empty()));
    CHECK(upsets(outcome.tally, Upset::Harmless) == (fate == "harmless" ? 1 : 0));
    CHECK(upsets(outcome.tally, Upset::Noticed) == (fate == "noticed" ? 1 : 0));
    CHECK(upsets(outcome.tally, Upset::Unnoticed) == (fate == "unnoticed" ? 1 : 0));
    const auto& p = outcome.tally.packets;
    if (fate == "harmless" || fate == "unnoticed")
      CHECK((came.empty() ? p.delivered == p.sent : p.delivered <= p.sent));
    harmless += fate == "harmless" ? 1 : 0;
    noticed += fate == "noticed" ? 1 : 0;
    unnoticed += fate == "unnoticed" ? 1 : 0;
  }
  CHECK(harmless > runs / 4);
  CHECK((noticed > 0 || !some_noticed));
  CHECK(harmless + noticed + unnoticed > runs / 2);
  CHECK(runs_of(run, options, 6, 1).tally == runs_of(run, options, 6, 3).tally);
}

}  // namespace ht::campaign
