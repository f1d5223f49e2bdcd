// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sim/campaign/scenario.hpp"
#include "sim/campaign/tally.hpp"
#include "sim/cli/common/machine_kind.hpp"

namespace ht::cli {

/// What differs between machines in a campaign and in what it shows.
struct InjectMachine {
  struct Column {
    campaign::Class of;
    const char* heading;
  };
  MachineKind kind;
  const char* unit;    ///< "packets"
  const char* nodes;   ///< default of --nodes
  int least_nodes;     ///< of that grid
  bool gives_up;       ///< a link without its cable is reported down; else it waits for ever
  const char* but;     ///< what may have gone wrong, for the verdict: ""
  const char* caught;  ///< what the checksums caught, after its number: "forged packets"
  const char* told;    ///< deliveries that went wrong and may: "forged"
  std::vector<Column> columns;
  std::vector<const char*> places;  ///< rows by what was on the line; empty: not known
  campaign::RunOutcome (*run)(const campaign::ScenarioOptions& options, std::uint64_t run,
                              campaign::Closer* closer);
};
const InjectMachine& inject_machine_qpace();
const InjectMachine& inject_machine_qcdoc();
const InjectMachine& inject_machine_tofu();

}  // namespace ht::cli
