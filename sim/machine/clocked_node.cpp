// SPDX-License-Identifier: Apache-2.0
#include "sim/machine/clocked_node.hpp"

#include <algorithm>

namespace ht::machine {

ClockedNode::ClockedNode(int rank, std::size_t memory_bytes, const Traits& traits,
                         const sim::Clock& clock, int idle_period, bool skip_idle)
    : ProgramNode(rank, memory_bytes, traits),
      clock_(clock),
      idle_period_(idle_period),
      skip_idle_(skip_idle) {
  clock_.check();
}

void ClockedNode::run(Picoseconds /*from*/, Picoseconds to) {
  for (;;) {
    if (run_program()) continue;
    if (skip_idle_) skip_to(std::min({to, asleep_until(), next_arrival(), next_housekeeping()}));
    const Picoseconds edge = clock_.edge(edge_);
    const Picoseconds due = program_due();
    const Picoseconds next = std::min(edge, due);
    if (next >= to) {
      now_ = to;
      return;
    }
    now_ = next;
    if (due == next) continue;  // the program acts before the edge at the same time
    step();
    ++edge_;
  }
}

// While the hardware is busy every edge counts; at rest, only the program can start something. It
// sees an interrupt at the next edge after it began to wait.
Picoseconds ClockedNode::asleep_until() const {
  if (!rests() || waits_for(Wait::Register) || (waits_for(Wait::Event) && interrupt())) return now_;
  return std::max(program_due(), now_);
}

// Leaves out whole periods of edges before `target`, at which resting hardware repeats itself.
void ClockedNode::skip_to(Picoseconds target) {
  if (target <= now_) return;
  const std::int64_t periods = (clock_.first_edge(target) - edge_) / idle_period_;
  if (periods <= 0) return;
  edge_ += periods * idle_period_;
  cycles_.total += static_cast<std::uint64_t>(periods * idle_period_);
  cycles_.skipped += static_cast<std::uint64_t>(periods * idle_period_);
  rested(clock_.edge(edge_));
}

}  // namespace ht::machine
