// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/lane/lane_cable.hpp"
#include "sim/machine/cable_errors.hpp"
#include "sim/machine/driver_machine.hpp"
#include "sim/machine/machine_draw.hpp"

namespace ht::machine {

/// A machine whose nodes are joined by cables of one kind, one a link and direction: how nodes are
/// made and cables are plugged. Its constructor adds nodes, then cables, then drivers.
///
/// Options are the machine's own struct, with members `node`, `random_phases`, `random_state`,
/// `cable_delay`, `cable_spread`, `errors`, `faults` and `seed`. Node has connect(link, out, in).
template <class Driver, class Node, class Cable>
class CabledMachine : public DriverMachine<Driver, Node> {
 public:
  /// The cable that carries what link `link` of node `number` sends.
  Cable& cable(int number, int link) const {
    if (lane_cables_.empty()) return *cables_[cable_number(number, link)];
    throw UsageError(
        "--phy lanes: cables carry bits there, and who asks for their words finds none; leave it "
        "out");
  }
  sim::CableBase& cable_of(int number, int link) const override {
    if (lane_cables_.empty()) return cable(number, link);
    return lane_cable(number, link);
  }
  /// The same where there are lanes, which is all over the machine or nowhere.
  bool over_lanes() const { return !lane_cables_.empty(); }
  sim::lanes::LaneCable& lane_cable(int number, int link) const {
    return *lane_cables_.at(cable_number(number, link));
  }

 protected:
  using DriverMachine<Driver, Node>::DriverMachine;

  std::size_t cable_number(int number, int link) const {
    return static_cast<std::size_t>(number * this->links() + link);
  }
  /// Of any node, wherever it is simulated.
  const sim::Clock& link_clock(int number) const {
    return clocks_[static_cast<std::size_t>(number)];
  }
  /// The node that link `link`'s cable leads to, as they are plugged.
  virtual int plugged_into(int number, int link) const { return this->neighbour(number, link); }

  /// By how much the oscillator of a node is slow, parts per billion: drawn, where there are lanes,
  /// which make up for it.
  template <class Options>
  static std::int64_t oscillator_off(const Options& o, int number) {
    if (!o.phy || o.phy->most_off == 0) return 0;
    return MachineDraw(o.seed, Purpose::Oscillators)
               .below(2 * o.phy->most_off + 1, static_cast<std::uint64_t>(number)) -
           o.phy->most_off;
  }
  /// Adds `count` nodes, each made from its options as vary(options, number) leaves them, which
  /// returns the clock of its links.
  template <class Options, class Vary>
  void add_nodes(int count, const Options& o, Vary vary) {
    if constexpr (requires { o.losses; }) this->plan_losses(o.losses, count);
    if constexpr (requires { o.soft_errors; }) this->plan_soft_errors(o.soft_errors, o.seed);
    const MachineDraw states(o.seed, Purpose::InitialState);
    for (int number = 0; number < count; ++number) {
      auto own = o.node;
      if (o.random_state)
        own.initial_state = static_cast<std::uint32_t>(
            states.below(std::int64_t{1} << 32, static_cast<std::uint64_t>(number)));
      clocks_.push_back(vary(own, number));
      this->add_node([&own](int local) { return std::make_unique<Node>(local, own); });
    }
  }
  /// The same for nodes of one clock, whose phase is drawn if the machine's phases are random.
  template <class Options>
  void add_nodes(int count, const Options& o) {
    MachineDraw phases(o.seed, Purpose::Phases);
    add_nodes(count, o, [&](auto& node, int number) {
      if (o.random_phases) node.clock.phase = phases.below(node.clock.period);
      if constexpr (requires { o.phy; })
        node.clock = node.clock.slower_by(oscillator_off(o, number));
      return node.clock;
    });
  }

  /// Draws what goes wrong and plugs the cables of all links into their nodes, in order of their
  /// numbers. Links without a cable (has_cable()) have one that is plugged in nowhere.
  template <class Options>
  void plug_cables(const Options& o, const CableGrid& grid) {
    auto faults = draw_faults(o.errors, grid, o.seed, o.faults);
    for (const Loss& loss : this->losses()) silence(loss, o.cable_delay + o.cable_spread, faults);
    for (int number = 0; number < this->size(); ++number) {
      for (int link = 0; link < this->links(); ++link) {
        const int to = plugged_into(number, link);
        const std::size_t i = cables_.size();
        std::string name = fmt::format("node {} {}", number, this->link_name(link));
        if (this->has_cable(number, link)) {
          name += fmt::format(" to node {}", to);
        } else {
          name += ", no cable";
          faults[i] = {};
        }
        if constexpr (requires { o.phy; }) {
          if (o.phy) {
            lane_cables_.push_back(plug_kind<sim::lanes::LaneCable>(
                o, number, to, std::move(name), i, std::move(faults[i]), o.phy->lanes));
            cables_.push_back(nullptr);
            continue;
          }
        }
        cables_.push_back(plug_cable(o, number, to, std::move(name), i, std::move(faults[i])));
      }
    }
    for (int number = 0; number < this->size(); ++number) {
      for (int link = 0; link < this->links() && this->is_local(number); ++link) {
        if (!this->has_cable(number, link)) continue;
        const auto own = cable_number(number, link);
        const auto back = cable_number(plugged_into(number, link), this->far_link(link));
        if constexpr (requires { o.phy; }) {
          if (o.phy) {
            this->node(number).connect_lanes(link, *lane_cables_[own], *lane_cables_[back]);
            continue;
          }
        }
        this->node(number).connect(link, *cables_[own], *cables_[back]);
      }
    }
  }
  /// What a loss does to cables: both directions of one that is cut, and all of a node's, are
  /// without a signal from then on. What a node had sent before it died still arrives.
  void silence(const Loss& loss, Picoseconds delay, std::vector<sim::FaultPlan>& faults) const {
    constexpr Picoseconds for_good = sim::kNever / 2;
    const auto pull = [&](int number, int link, Picoseconds from, bool silent) {
      faults[cable_number(number, link)].pulls.push_back({std::max(from, delay), for_good, silent});
    };
    if (loss.link && !this->has_cable(loss.node, *loss.link))
      throw UsageError(fmt::format("node {} has no cable at {}: nothing to be cut", loss.node,
                                   this->link_name(*loss.link)));
    for (int link = 0; link < this->links(); ++link) {
      if ((loss.link && link != *loss.link) || !this->has_cable(loss.node, link)) continue;
      const int peer = plugged_into(loss.node, link);
      pull(loss.node, link, loss.time + (loss.link ? 0 : delay), false);
      // A node that is gone sees nothing: no matter what.
      if (peer != loss.node || loss.link) pull(peer, this->far_link(link), loss.time, !loss.link);
    }
  }
  /// One cable between nodes; `number` keys its errors.
  template <class Options>
  Cable* plug_cable(const Options& o, int from, int to, std::string name, std::size_t number,
                    sim::FaultPlan faults) {
    return plug_kind<Cable>(o, from, to, std::move(name), number, std::move(faults));
  }
  /// The same, of any kind.
  template <class Kind, class Options, class... More>
  Kind* plug_kind(const Options& o, int from, int to, std::string name, std::size_t number,
                  sim::FaultPlan faults, const More&... more) {
    const auto from_node = static_cast<std::size_t>(from), to_node = static_cast<std::size_t>(to);
    sim::CableOptions cable;
    cable.name = std::move(name);
    cable.number = static_cast<std::uint32_t>(number);
    cable.sender = clocks_[from_node];
    cable.receiver = clocks_[to_node];
    cable.delay = o.cable_delay;
    if (o.cable_spread > 0) {
      // Both directions are one cable: they are as long.
      const auto link = static_cast<int>(number % static_cast<std::size_t>(this->links()));
      const std::size_t back = cable_number(to, this->far_link(link));
      cable.delay += MachineDraw(o.seed, Purpose::CableLengths)
                         .below(o.cable_spread + 1, std::min(number, back));
    }
    cable.seed = o.seed;
    cable.faults = std::move(faults);
    return this->template plug<Kind>(std::move(cable), from_node, to_node, more...);
  }

  std::vector<sim::Clock> clocks_;  ///< of links, by node
  std::vector<Cable*> cables_;  ///< the kernel's; by sender and link; null where there are lanes
  std::vector<sim::lanes::LaneCable*> lane_cables_;  ///< the same of lanes; empty: there are none
};

}  // namespace ht::machine
