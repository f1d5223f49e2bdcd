// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/scenario.hpp"

#include <fmt/format.h>

#include "sim/campaign/draw.hpp"

namespace ht::campaign {
namespace {

// Machines' own purposes are small numbers, their traffic's from 0x100.
constexpr std::uint32_t world_purpose = 0x40;
constexpr Picoseconds fastest_memory = 20'000, slowest_memory = 1'000'000;

}  // namespace

std::string World::describe() const {
  const auto ns = [](Picoseconds t) { return fmt::format("{:.6g}", static_cast<double>(t) / 1e3); };
  std::string text = fmt::format("cables of {} to {} ns", ns(cable_delay), ns(longest_cable()));
  text += fmt::format(", memory of {} to {} ns", ns(memory_latency),
                      ns(memory_latency + memory_spread));
  if (memory_stalls > 0) text += fmt::format(", memory stalled {} of 256", memory_stalls);
  if (random_state) text += ", random state";
  return text;
}

std::vector<Trouble> trouble_choice(const ScenarioOptions& options, std::vector<Trouble> usual) {
  if (!options.troubles.empty()) return options.troubles;
  if (options.phy) std::erase_if(usual, looks_for_words);
  if (options.draw_world) usual.push_back(Trouble::Stopped);
  return usual;
}

Picoseconds lanes_up(const ScenarioOptions& options, Picoseconds word) {
  constexpr Picoseconds words = 1000;
  return options.phy ? words * word : 0;
}

Picoseconds lanes_delay(const ScenarioOptions& options, Picoseconds word) {
  // 15 to 17 from port to port (rtl/lane/README.md), and what waits in elastic buffers.
  constexpr Picoseconds words = 20;
  if (!options.phy) return 0;
  const sim::lanes::LaneOptions& lanes = options.phy->lanes;
  return words * word + lanes.skew + lanes.jitter + lanes.drift;
}

World draw_world(const ScenarioOptions& options, std::uint64_t run, const World& usual,
                 Picoseconds longest) {
  if (!options.draw_world) return usual;
  Draw draw(options.seed, run, world_purpose);
  World w = usual;
  if (draw.once_in(2)) w.cable_delay = draw.between(shortest_cable, longest);
  if (draw.once_in(2)) {
    w.cable_spread = draw.between(0, w.cable_delay - shortest_cable);
    w.cable_delay -= w.cable_spread;
  }
  w.random_state = !draw.once_in(4);
  if (!draw.once_in(3)) {
    w.memory_latency = draw.between(fastest_memory, slowest_memory);
    w.memory_spread = draw.between(0, slowest_memory - w.memory_latency);
  }
  if (w.memory_stalls == 0 && draw.once_in(3))
    w.memory_stalls = static_cast<std::uint32_t>(draw.below(200));
  return w;
}

}  // namespace ht::campaign
