// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/kernel/kernel.hpp"
#include "sim/qpace/nwp_node.hpp"
#include "sim/qpace/signal_card.hpp"

namespace ht::machine {

/// A disturbance of one node's wires of the global signal tree.
struct SignalDisturbance {
  int node = 0;
  bool up = false;  ///< from the node; else to it
  sim::Disturbance what;
};

/// How the global signal tree is built. Times in ps.
struct SignalNetworkOptions {
  Picoseconds delay = 250'000;  ///< of every wire: drivers, connectors, cables; our assumption
  bool skip_idle = true;
  std::vector<SignalDisturbance> disturbances;
};

/// The global signal tree of a machine ([QPACE2009] sections 3 and 4): a card for every 16 nodes,
/// in order of number, a card for every 8 of these, and so on to one. Each card takes part in up to
/// two partitions, so that the machine can be split in two without touching a cable.
class SignalNetwork {
 public:
  /// Adds cards and cables to the kernel, after all nodes (number i is the kernel's node i).
  /// `nodes[i]` is null, and `owner(i)` the rank, of a node that another rank simulates.
  /// `clocks(i)` is card i's clock.
  SignalNetwork(sim::Kernel& kernel, const std::vector<NwpNode*>& nodes,
                const std::function<unsigned(int)>& owner, unsigned rank,
                const std::function<sim::Clock(int)>& clocks, const SignalNetworkOptions& options);

  /// Sets up every card for partitions: `partition[i]` (0 or 1) is that of node i. While the tree
  /// is at rest.
  void configure(const std::vector<int>& partition);

  /// Cards in all.
  int cards() const { return static_cast<int>(cards_.size()); }

 private:
  static constexpr int below = SignalCard::ports / SignalCard::groups;  ///< cards at a card

  struct Card {
    SignalCard* card = nullptr;  ///< null: another rank's
    int level = 0;
    int index = 0;  ///< within its level
    std::size_t kernel_number = 0;
  };
  struct Wires {
    sim::LevelCable* up;
    sim::LevelCable* down;
  };
  Wires wire(sim::Kernel& kernel, const std::string& lower, std::size_t from,
             const std::string& upper, std::size_t to, const SignalNetworkOptions& options,
             int node);

  std::vector<Card> cards_;              ///< level by level
  std::vector<std::vector<int>> level_;  ///< indices into cards_
};

}  // namespace ht::machine
