// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/campaign/number_ranges.hpp"
#include "sim/campaign/scenario.hpp"
#include "sim/campaign/tally.hpp"

namespace ht::campaign {

/// A failing run made smaller.
struct Shrunk {
  bool failed = false;  ///< else the run found nothing, and nothing was done
  Finding finding;      ///< of the run as it was drawn, the first: what stays
  Drawn drawn, left;    ///< errors and messages
  NumberRanges kept;    ///< numbers of those left
  std::uint64_t tried = 0;
  /// Not even one of those left can be taken away; else it was stopped, or ran out of tries.
  bool smallest = false;
  std::vector<std::string> lines;  ///< of the smallest run: what is left, and what became of it
};

/// Does the run with what is in the set, or with everything: null.
using KeptRun = std::function<RunOutcome(const NumberRanges* keep, Closer& closer)>;

/// Whether both are the same finding: node, link, and words, apart from numbers in them.
bool same_finding(const Finding& a, const Finding& b);

/// Takes errors away, half of them at a time and at last one at a time, then messages likewise, as
/// long as the first finding of the run is among what the smaller one finds. What a run throws is a
/// finding of it. At most `most` runs.
Shrunk shrink(const KeptRun& run, std::uint64_t most = 2000,
              const std::atomic<bool>* stop = nullptr);

}  // namespace ht::campaign
