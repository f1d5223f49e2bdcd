// SPDX-License-Identifier: Apache-2.0
#include "sim/campaign/node_events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <random>

#include "sim/campaign/draw.hpp"
#include "sim/machine/program_node.hpp"

namespace ht::campaign {
namespace {

constexpr std::uint32_t events_purpose = 0x41;
constexpr Picoseconds shortest_halt = 500'000, longest_halt = 20'000'000;

}  // namespace

std::string NodeEvent::describe() const {
  const double us = static_cast<double>(at) * 1e-6;
  if (upset)
    return fmt::format("a bit flips where no code need be, in node {} at {:.3f} us", node, us);
  return halt > 0 ? fmt::format("processor of node {} stands still for {:.3f} us at {:.3f} us",
                                node, static_cast<double>(halt) * 1e-6, us)
                  : fmt::format("a bit flips in a memory of node {} at {:.3f} us", node, us);
}

std::vector<NodeEvent> draw_node_events(const ScenarioOptions& options, std::uint64_t run,
                                        int nodes, Picoseconds span, bool flips) {
  std::vector<NodeEvent> events;
  Draw draw(options.seed, run, events_purpose);
  const auto node = [&] { return static_cast<int>(draw.below(static_cast<std::uint64_t>(nodes))); };
  if (options.upsets()) return {{node(), draw.between(0, span), 0, draw.bits(), true}};
  if (!options.draw_world) return events;
  if (draw.once_in(2)) {
    for (auto n = draw.between(1, options.soak ? 30 : 3); n > 0; --n)
      events.push_back({node(), draw.between(0, span), draw.between(shortest_halt, longest_halt)});
  }
  if (flips && draw.once_in(3)) {
    for (auto n = draw.between(1, 4 * nodes); n > 0; --n)
      events.push_back({node(), draw.between(0, span), 0, draw.bits()});
  }
  return events;
}

void add_stops(const TroubleDraw& faults, Picoseconds from, std::vector<NodeEvent>& events) {
  for (const TroubleDraw::Stop& s : faults.stops())
    events.push_back({s.node, std::max<Picoseconds>(0, s.from - from), s.length});
}

NodeEvents::NodeEvents(const Scenario& scenario, int node) {
  for (const NodeEvent& e : scenario.events) {
    if (e.node == node) due_.push_back(&e);
  }
  std::ranges::stable_sort(due_, std::greater{}, &NodeEvent::at);
}

void NodeEvents::happen(host::HardwarePort& port, Picoseconds now) {
  while (!due_.empty() && due_.back()->at <= now) {
    const NodeEvent& e = *due_.back();
    due_.pop_back();
    if (e.halt > 0) {
      ++halts_;
      port.advance(e.halt);
    } else if (e.upset) {
      // Ports of a campaign are nodes.
      upset_ = dynamic_cast<machine::ProgramNode&>(port).state_bits().flip(e.flip);
    } else if (site_ != nullptr) {
      ++flips_.made;
      std::mt19937_64 which(e.flip);
      site_->flip(which, false);
    }
  }
}

void NodeEvents::account() {
  if (site_ == nullptr) return;
  flips_.corrected = site_->corrected();
  complaint_ = site_->fault();
}

}  // namespace ht::campaign
