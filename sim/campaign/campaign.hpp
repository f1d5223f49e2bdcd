// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/campaign/number_ranges.hpp"
#include "sim/campaign/tally.hpp"

namespace ht::campaign {

/// Thrown by a run that is to end before its end: it counts for nothing.
struct RunStopped {};

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
  NumberRanges runs;                   ///< that are done
  bool interrupted = false;
};

/// One run, a function of its number alone; called on any thread. What it throws is a finding,
/// but for DataError, UsageError and std::bad_alloc, which end the campaign.
using RunFunction = std::function<RunOutcome(std::uint64_t run)>;
/// Called after each run with all that is done, one call at a time.
using ProgressFunction = std::function<void(const CampaignResult& so_far)>;

/// Adds them, by run; keeps the `most` first.
void add_findings(std::vector<Finding>& all, std::vector<Finding> more, std::size_t most);

/// Adds what other runs came to; `most` findings are kept. Whether it was interrupted is left
/// alone.
void add_result(CampaignResult& all, CampaignResult more, std::size_t most);

/// One run as a campaign does it: what it throws becomes a finding, but for what ends a campaign.
RunOutcome run_one(const RunFunction& run, std::uint64_t number);

/// Does the runs, several at a time. Of the result, nothing depends on threads, unless it was
/// stopped. Runs that `so_far` has are not done again: the result is as if they had been. For any
/// machine: what a run is, is the function's business.
CampaignResult run_campaign(const CampaignOptions& options, const RunFunction& run,
                            const ProgressFunction& progress = {}, CampaignResult so_far = {});

}  // namespace ht::campaign
