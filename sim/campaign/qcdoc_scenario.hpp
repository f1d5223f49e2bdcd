// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sim/campaign/trouble.hpp"
#include "sim/kernel/fault_plan.hpp"

namespace ht::campaign {

struct QcdocCampaignOptions {
  std::vector<int> shape{2};
  std::uint64_t seed = 1;
  unsigned forged_every = 50;     ///< every so-manieth run has a double error parity cannot see
  std::vector<Trouble> troubles;  ///< to draw from; empty: what the link is made to detect
};

/// A message of a run: words from a block-strided place to another. Times are after the links came
/// up.
struct QcdocMessage : Route {
  std::uint32_t block_words = 1, blocks = 1, gap = 0;  ///< gap: words between blocks, both ends
  Picoseconds send = 0, receive = 0;                   ///< when its engines are to start
  std::uint32_t first = 0;                             ///< number of its first word on its link
  std::uint32_t words() const { return block_words * blocks; }
};

/// A supervisor word.
struct QcdocSupervisorWord : Route {
  Picoseconds send = 0;
  std::uint32_t number = 0;  ///< on its link
};

/// All that is drawn for one run.
struct QcdocScenario {
  Picoseconds cable_delay = 0;
  std::uint32_t memory_stalls = 0;              ///< of 256 pieces of 8 cycles
  std::vector<QcdocMessage> messages;           ///< of each link in order
  std::vector<QcdocSupervisorWord> supervisor;  ///< of each link in order
  std::vector<sim::FaultPlan> faults;           ///< by sender's number * 12 + link
  std::vector<Trouble> troubles;                ///< drawn
  int forged_cable = -1;                        ///< number, or -1
  bool unplugged = false;                       ///< some cable is, for good
  Picoseconds quiet = 0;                        ///< from then on nothing goes wrong any more
};

QcdocScenario draw_scenario(const QcdocCampaignOptions& options, std::uint64_t run);

/// Content of word `index` of a link: of its data words, or of its supervisor words.
std::uint64_t word_content(std::uint64_t seed, std::uint64_t run, const Route& route,
                           bool supervisor, std::uint32_t index);

}  // namespace ht::campaign
