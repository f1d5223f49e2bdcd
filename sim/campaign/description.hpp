// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "sim/campaign/scenario.hpp"
#include "sim/campaign/tally.hpp"
#include "sim/output/results.hpp"
#include "sim/plugin/options.hpp"

namespace ht::campaign {

/// What differs between machines in a campaign and in what it shows; what the library of a
/// machine's campaign exports as hypertorus_campaign().
struct CampaignDescription {
  struct Column {
    Class of;
    const char* heading;
  };
  const char* unit;       ///< "packets"
  const char* nodes;      ///< default of --nodes
  int least_nodes;        ///< of that grid
  bool reports_down;      ///< a link without its cable is reported down; else it waits for ever
  const char* exception;  ///< what may have gone wrong, for the verdict: ""
  const char* caught;     ///< what the checksums caught, after its number: "forged packets"
  const char* excused;    ///< deliveries that went wrong and may: "forged"
  std::vector<Column> columns;
  /// The same over lanes.
  std::vector<Column> lane_columns;
  std::vector<const char*> places;  ///< rows by what was on the line; empty: not known
  RunOutcome (*run)(const ScenarioOptions& options, std::uint64_t run, Closer* closer);
  /// Throws UsageError for a shape that the machine cannot have; null: it can have any.
  void (*check_shape)(const std::vector<int>& shape) = nullptr;
  /// Throws UsageError for lanes that its campaign cannot run over; null: it can over any.
  void (*check_phy)(const ScenarioOptions& options) = nullptr;
  /// An option of the machine's own that asks for something instead of a campaign, and what does
  /// that and returns the exit code. Null: there is none.
  const char* instead_option = nullptr;
  int (*instead)(cli::Results& results) = nullptr;
  /// Runs of a soak, if --runs does not say; 0: it does not draw any (ScenarioOptions::soak).
  int soak_runs = 0;
};

}  // namespace ht::campaign
