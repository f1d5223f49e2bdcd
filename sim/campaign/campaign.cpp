// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/campaign.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "sw/host/errors.hpp"

namespace ht::campaign {

void add_findings(std::vector<Finding>& all, std::vector<Finding> more, std::size_t most) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  std::stable_sort(all.begin(), all.end(),
                   [](const Finding& a, const Finding& b) { return a.run < b.run; });
  if (all.size() > most) all.resize(most);
}

void add_result(CampaignResult& all, CampaignResult more, std::size_t most) {
  for (const auto& [first, last] : more.runs.ranges()) all.runs.add(first, last);
  all.done += more.done;
  all.failed += more.failed;
  all.tally += more.tally;
  add_findings(all.findings, std::move(more.findings), most);
}

// What is wrong with options and files says nothing about hardware: it ends the campaign.
RunOutcome run_one(const RunFunction& run, std::uint64_t number) {
  try {
    return run(number);
  } catch (const DataError&) {
    throw;
  } catch (const UsageError&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& e) {
    RunOutcome outcome;
    outcome.findings.push_back({number, -1, -1, e.what()});
    return outcome;
  }
}

CampaignResult run_campaign(const CampaignOptions& options, const RunFunction& run,
                            const ProgressFunction& progress, CampaignResult so_far) {
  CampaignResult result = std::move(so_far);
  const NumberRanges before = result.runs;
  std::mutex mutex;
  std::atomic<std::uint64_t> next{0};
  std::exception_ptr error;
  const auto work = [&] {
    for (;;) {
      if (options.stop != nullptr && *options.stop) return;
      const std::uint64_t i = next++;
      if (i >= options.runs) return;
      const std::uint64_t number = options.first + i;
      if (before.contains(number)) continue;
      std::unique_lock lock(mutex, std::defer_lock);  // as far as what goes wrong is kept
      try {
        RunOutcome outcome = run_one(run, number);
        lock.lock();
        if (error) return;
        result.tally += outcome.tally;
        result.runs.add(number);
        ++result.done;
        if (!outcome.findings.empty()) {
          ++result.failed;
          add_findings(result.findings, std::move(outcome.findings), options.most_findings);
        }
        if (progress) progress(result);
      } catch (const RunStopped&) {
        return;
      } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        if (!error) error = std::current_exception();
        next = options.runs;
        return;
      }
    }
  };
  const auto threads = static_cast<unsigned>(
      std::clamp<std::uint64_t>(options.threads, 1, std::max<std::uint64_t>(1, options.runs)));
  std::vector<std::jthread> others;
  others.reserve(threads);
  try {
    for (unsigned i = 1; i < threads; ++i) others.emplace_back(work);
  } catch (...) {
    next = options.runs;  // else those that are there would do all of it first
    throw;
  }
  work();
  others.clear();
  if (error) std::rethrow_exception(error);
  result.interrupted = result.done < options.runs;
  return result;
}

}  // namespace ht::campaign
