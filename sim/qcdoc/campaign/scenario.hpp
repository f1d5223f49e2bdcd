// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

#include "sim/campaign/scenario.hpp"

namespace ht::campaign {

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

/// Partition interrupts that a node raises.
struct QcdocInterrupts {
  int node = 0;
  Picoseconds at = 0;
  std::uint32_t bits = 0;  ///< one or more of 7
};

/// A global operation of all nodes, before any message: every node's block of words for everybody,
/// along all axes in turn, or node 0's for everybody.
struct QcdocGlobal {
  bool broadcast = false;
  std::uint32_t words = 1;
};

/// All that is drawn for one run.
struct QcdocScenario : Scenario {
  std::vector<QcdocGlobal> global;  ///< in order
  std::vector<QcdocInterrupts> interrupts;
  std::vector<QcdocMessage> messages;           ///< of each link in order
  std::vector<QcdocSupervisorWord> supervisor;  ///< of each link in order
  bool unplugged = false;                       ///< some cable is, permanently
};

/// The longest cable whose links wait long enough for an answer.
Picoseconds longest_qcdoc_cable(const ScenarioOptions& options);

QcdocScenario draw_qcdoc_scenario(const ScenarioOptions& options, std::uint64_t run);

/// Word `index` of what a node gives to global operation `operation`.
std::uint64_t global_word(std::uint64_t seed, std::uint64_t run, int node, std::size_t operation,
                          std::uint32_t index);

/// Content of word `index` of a link: of its data words, or of its supervisor words.
std::uint64_t word_content(std::uint64_t seed, std::uint64_t run, const Route& route,
                           bool supervisor, std::uint32_t index);

}  // namespace ht::campaign
