// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/barrier_latency.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "sw/host/errors.hpp"

namespace ht::tofu {
namespace {

/// A gate: `at` is the latest of what has arrived; gate 0 of a rank stands for its result.
struct Node {
  BarrierLatency at;
  int missing = 0;
  GateWiring wiring;
  int rank = 0;
};

void arrive(Node& to, BarrierLatency what) {
  if (what.cycles >= to.at.cycles) to.at = what;
  --to.missing;
}

}  // namespace

BarrierLatency latency(const BarrierPattern& pattern, const Shape& machine,
                       const BarrierTiming& timing) {
  if (machine.nodes() < pattern.ranks())
    throw UsageError(fmt::format("{} ranks on a machine of {} nodes: choose a larger one",
                                 pattern.ranks(), machine.nodes()));
  std::vector<std::size_t> first;
  std::vector<Node> nodes;
  for (int rank = 0; rank < pattern.ranks(); ++rank) {
    first.push_back(nodes.size());
    for (const GateWiring& g : pattern.gates(rank)) {
      Node n;
      n.wiring = g;
      n.rank = rank;
      n.missing = (g.local_source ? 1 : 0) + (g.remote_source ? 1 : 0);
      nodes.push_back(n);
    }
  }
  const auto node = [&](int rank, int gate) -> std::size_t {
    return first[static_cast<std::size_t>(rank)] + static_cast<std::size_t>(gate);
  };

  std::vector<std::size_t> ready;
  const auto feed = [&](const Node& from, const BarrierLatency& leaves) {
    const auto give = [&](std::size_t to, const BarrierLatency& arrives) {
      arrive(nodes[to], arrives);
      if (nodes[to].missing == 0) ready.push_back(to);
    };
    if (from.wiring.local_destination) {
      BarrierLatency there = leaves;
      there.cycles += timing.local - timing.gate;  // the next one's firing is counted there
      give(node(from.rank, *from.wiring.local_destination), there);
    }
    if (const auto& to = from.wiring.remote_destination) {
      const int hops = machine.hops(machine.place(from.rank), machine.place(to->rank));
      BarrierLatency there = leaves;
      there.cycles += timing.injection + hops * (timing.hop + timing.cable) + timing.beats - 1;
      there.hops += hops;
      ++there.packets;
      give(node(to->rank, to->gate), there);
    }
  };

  for (const std::size_t f : first) {
    if (f < nodes.size()) feed(nodes[f], {});
  }
  BarrierLatency worst;
  std::size_t done = 0;
  while (!ready.empty()) {
    const std::size_t at = ready.back();
    ready.pop_back();
    BarrierLatency fires = nodes[at].at;
    fires.cycles += timing.gate;
    ++fires.gates;
    if (at == first[static_cast<std::size_t>(nodes[at].rank)]) {
      ++done;
      if (fires.cycles > worst.cycles) worst = fires;
    } else {
      feed(nodes[at], fires);
    }
  }
  if (!nodes.empty() && done != first.size())
    throw std::logic_error("a pattern of barrier gates that does not end");
  return worst;
}

}  // namespace ht::tofu
