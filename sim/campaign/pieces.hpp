// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "sim/campaign/number_ranges.hpp"
#include "sim/campaign/scenario.hpp"

namespace ht::campaign {

/// Takes away what a run is not to keep (ScenarioOptions::keep). All that was drawn for it has a
/// number: errors of the cables' plans first, then messages. A machine's scenario calls errors(),
/// then messages() for each of its lists, then close(), when everything has been drawn.
class PieceFilter {
 public:
  PieceFilter(const ScenarioOptions& options, std::uint64_t run, Scenario& scenario);

  /// Each burst, lost or doubled symbol, fault of a lane, aimed or forged error, and the bit errors
  /// of each cable. A pull is one, although both directions of its cable have it.
  void errors();
  /// Of anything that is sent, started or stalled.
  template <class Message>
  void messages(std::vector<Message>& list) {
    std::erase_if(list, [this](const Message&) { return !next(scenario_.drawn.messages); });
  }
  /// Throws UsageError if a number is none of them.
  void close() const;

 private:
  bool next(std::size_t& count);

  const ScenarioOptions& options_;
  std::uint64_t run_;
  Scenario& scenario_;
};

/// The errors of one cable's plan, a line each.
std::vector<std::string> describe_plan(const sim::FaultPlan& plan);

}  // namespace ht::campaign
