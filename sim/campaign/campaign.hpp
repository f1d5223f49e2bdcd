// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/campaign/tally.hpp"

namespace ht::campaign {

struct CampaignOptions {
  std::uint64_t first = 0, runs = 1;        ///< runs [first, first + runs)
  unsigned threads = 1;                     ///< runs at a time
  const std::atomic<bool>* stop = nullptr;  ///< set from outside: no further run begins
  std::size_t most_findings = 1000;         ///< kept; those of the lowest runs
};

struct CampaignResult {
  Tally tally;
  std::vector<Finding> findings;       ///< by run
  std::uint64_t done = 0, failed = 0;  ///< runs; those with findings
  bool interrupted = false;
};

/// One run, a function of its number alone; called on any thread. What it throws is a finding,
/// but for DataError, UsageError and std::bad_alloc, which end the campaign.
using RunFunction = std::function<RunOutcome(std::uint64_t run)>;
/// Called after each run, one call at a time.
using ProgressFunction = std::function<void(std::uint64_t done, std::uint64_t failed)>;

/// Does the runs, several at a time. Of the result, nothing depends on threads, unless it was
/// stopped. For any machine: what a run is, is the function's business.
CampaignResult run_campaign(const CampaignOptions& options, const RunFunction& run,
                            const ProgressFunction& progress = {});

}  // namespace ht::campaign
