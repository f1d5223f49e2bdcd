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

}  // namespace ht::campaign
