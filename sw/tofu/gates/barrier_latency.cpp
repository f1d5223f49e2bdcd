// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/gates/barrier_latency.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>
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

/// The two ports between a node's gates and its router, which take one beat a cycle.
struct Ports {
  std::int64_t out_free = 0, in_free = 0;
};

/// Something happens at a gate: it fires, or a packet's last beat would come if no other one were
/// in its way.
struct Event {
  BarrierLatency when;
  std::size_t node;
  bool fires;
  bool operator>(const Event& other) const {
    return std::pair(when.cycles, node) > std::pair(other.when.cycles, other.node);
  }
};

class Evaluation {
 public:
  Evaluation(const BarrierPattern& pattern, const Shape& machine, const BarrierTiming& timing)
      : machine_(machine), timing_(timing), ports_(static_cast<std::size_t>(pattern.ranks())) {
    for (int rank = 0; rank < pattern.ranks(); ++rank) {
      first_.push_back(nodes_.size());
      for (const GateWiring& g : pattern.gates(rank)) {
        const int sources = (g.local_source ? 1 : 0) + (g.remote_source ? 1 : 0);
        nodes_.push_back({{}, sources, g, rank});
      }
    }
  }

  BarrierLatency run() {
    if (nodes_.empty()) return {};
    for (const std::size_t f : first_) feed(nodes_[f], {timing_.start, 0, 0, 0});
    BarrierLatency worst;
    std::size_t done = 0;
    while (!events_.empty()) {
      const Event e = events_.top();
      events_.pop();
      const Node& node = nodes_[e.node];
      if (!e.fires) {
        BarrierLatency last = e.when;
        Ports& ports = ports_[static_cast<std::size_t>(node.rank)];
        last.cycles = std::max(last.cycles, ports.in_free + timing_.beats - 1);
        ports.in_free = last.cycles + 1;
        last.cycles += timing_.gate;
        arrive(e.node, last);
      } else if (ends(e.node)) {
        ++done;
        if (e.when.cycles > worst.cycles) worst = e.when;
      } else {
        feed(node, e.when);
      }
    }
    if (done != first_.size())
      throw std::logic_error("a pattern of barrier gates that does not end");
    return worst;
  }

 private:
  std::size_t index(int rank, int gate) const {
    return first_[static_cast<std::size_t>(rank)] + static_cast<std::size_t>(gate);
  }
  bool ends(std::size_t node) const { return node == index(nodes_[node].rank, 0); }

  /// What comes to a gate, with the time at which it would fire if nothing else were missing.
  void arrive(std::size_t to, const BarrierLatency& what) {
    Node& node = nodes_[to];
    if (what.cycles >= node.at.cycles) node.at = what;
    if (--node.missing > 0) return;
    BarrierLatency fires = node.at;
    if (ends(to)) fires.cycles += timing_.result - timing_.gate;
    ++fires.gates;
    events_.push({fires, to, true});
  }

  void feed(const Node& from, BarrierLatency leaves) {
    if (from.wiring.local_destination) {
      BarrierLatency there = leaves;
      there.cycles += timing_.local;
      arrive(index(from.rank, *from.wiring.local_destination), there);
    }
    if (const auto& to = from.wiring.remote_destination) {
      const int hops = machine_.hops(machine_.place(from.rank), machine_.place(to->rank));
      Ports& ports = ports_[static_cast<std::size_t>(from.rank)];
      leaves.cycles = std::max(leaves.cycles, ports.out_free);
      ports.out_free = leaves.cycles + timing_.beats;
      leaves.cycles += timing_.injection + hops * (timing_.hop + timing_.cable) + timing_.beats - 1;
      leaves.hops += hops;
      ++leaves.packets;
      events_.push({leaves, index(to->rank, to->gate), false});
    }
  }

  const Shape& machine_;
  const BarrierTiming& timing_;
  std::vector<std::size_t> first_;  ///< of a rank's gates in nodes_
  std::vector<Node> nodes_;
  std::vector<Ports> ports_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace

BarrierLatency latency(const BarrierPattern& pattern, const Shape& machine,
                       const BarrierTiming& timing) {
  if (machine.nodes() < pattern.ranks())
    throw UsageError(fmt::format("{} ranks on a machine of {} nodes: choose a larger one",
                                 pattern.ranks(), machine.nodes()));
  return Evaluation(pattern, machine, timing).run();
}

}  // namespace ht::tofu
