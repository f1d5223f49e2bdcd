// SPDX-License-Identifier: Apache-2.0
#include "sim/qpace/signal_network.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ht::machine {

SignalNetwork::SignalNetwork(sim::Kernel& kernel, const std::vector<NwpNode*>& nodes,
                             const std::function<unsigned(int)>& owner, unsigned rank,
                             const std::function<sim::Clock(int)>& clocks,
                             const SignalNetworkOptions& options) {
  constexpr int ports = SignalCard::ports;
  const int count = static_cast<int>(nodes.size());
  int leaves_per_card = ports;
  for (int cards = (count + ports - 1) / ports;; cards = (cards + below - 1) / below) {
    auto& level = level_.emplace_back();
    for (int index = 0; index < cards; ++index) {
      const int number = static_cast<int>(cards_.size());
      level.push_back(number);
      Card card;
      card.level = static_cast<int>(level_.size()) - 1;
      card.index = index;
      // A card belongs to whoever has its first node.
      const unsigned place = owner(std::min(count - 1, index * leaves_per_card));
      if (place == rank) {
        auto owned = std::make_unique<SignalCard>(number, clocks(number), options.skip_idle);
        card.card = owned.get();
        card.kernel_number = kernel.add_node(std::move(owned));
      } else {
        clocks(number);
        card.kernel_number = kernel.add_remote_node(place);
      }
      cards_.push_back(card);
    }
    if (cards == 1) break;
    leaves_per_card *= below;
  }

  for (int i = 0; i < count; ++i) {
    const int number = level_[0][static_cast<std::size_t>(i / ports)];
    const Card& card = cards_[static_cast<std::size_t>(number)];
    const Wires w = wire(kernel, fmt::format("node {}", i), static_cast<std::size_t>(i),
                         fmt::format("signal card {}", number), card.kernel_number, options, i);
    if (nodes[static_cast<std::size_t>(i)] != nullptr)
      nodes[static_cast<std::size_t>(i)]->connect_signals(*w.up, *w.down);
    if (card.card != nullptr) card.card->connect_port(i % ports, *w.up, *w.down);
  }
  for (std::size_t l = 0; l + 1 < level_.size(); ++l) {
    for (const int number : level_[l]) {
      const Card& lower = cards_[static_cast<std::size_t>(number)];
      const int above = level_[l + 1][static_cast<std::size_t>(lower.index / below)];
      const Card& upper = cards_[static_cast<std::size_t>(above)];
      for (int g = 0; g < SignalCard::groups; ++g) {
        const Wires w =
            wire(kernel, fmt::format("signal card {} group {}", number, g), lower.kernel_number,
                 fmt::format("signal card {}", above), upper.kernel_number, options, -1);
        if (lower.card != nullptr) lower.card->connect_above(g, *w.up, *w.down);
        if (upper.card != nullptr)
          upper.card->connect_port(SignalCard::groups * (lower.index % below) + g, *w.up, *w.down);
      }
    }
  }
}

SignalNetwork::Wires SignalNetwork::wire(sim::Kernel& kernel, const std::string& lower,
                                         std::size_t from, const std::string& upper, std::size_t to,
                                         const SignalNetworkOptions& options, int node) {
  const auto disturbances = [&](bool up) {
    std::vector<sim::Disturbance> list;
    for (const SignalDisturbance& d : options.disturbances) {
      if (d.node == node && d.up == up) list.push_back(d.what);
    }
    return list;
  };
  auto up = std::make_unique<sim::LevelCable>(fmt::format("{} to {}", lower, upper), options.delay,
                                              disturbances(true));
  auto down = std::make_unique<sim::LevelCable>(fmt::format("{} to {}", upper, lower),
                                                options.delay, disturbances(false));
  const Wires wires{up.get(), down.get()};
  kernel.add_cable(std::move(up), from, to);
  kernel.add_cable(std::move(down), to, from);
  return wires;
}

void SignalNetwork::configure(const std::vector<int>& partition) {
  // Which groups each card of a level has anybody in.
  std::vector<std::array<bool, SignalCard::groups>> used(level_[0].size());
  for (std::size_t l = 0; l < level_.size(); ++l) {
    std::vector<std::array<std::uint16_t, SignalCard::groups>> members(level_[l].size());
    const auto add = [&](std::size_t card, std::size_t group, int port) {
      members[card][group] = static_cast<std::uint16_t>(members[card][group] | 1U << port);
    };
    if (l == 0) {
      for (std::size_t i = 0; i < partition.size(); ++i) {
        add(i / SignalCard::ports, static_cast<std::size_t>(partition[i]),
            static_cast<int>(i % SignalCard::ports));
      }
    } else {
      for (std::size_t i = 0; i < level_[l - 1].size(); ++i) {
        for (std::size_t g = 0; g < SignalCard::groups; ++g) {
          if (used[i][g]) add(i / below, g, static_cast<int>(SignalCard::groups * (i % below) + g));
        }
      }
    }
    used.assign(level_[l].size(), {});
    for (std::size_t c = 0; c < level_[l].size(); ++c) {
      for (std::size_t g = 0; g < SignalCard::groups; ++g) used[c][g] = members[c][g] != 0;
      SignalCard* const card = cards_[static_cast<std::size_t>(level_[l][c])].card;
      if (card != nullptr) card->configure(members[c], l + 1 == level_.size());
    }
  }
}

}  // namespace ht::machine
