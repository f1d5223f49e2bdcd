// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include "verif/model/tofu/tni.hpp"

namespace ht::model {

/// Nodes with four network interfaces each, joined by a network that takes no time of its own:
/// packets travel when the user says so. Those of one class from one interface to another stay in
/// order; others overtake one another as a random number says, or keep the order they were sent in.
class TniNetwork {
 public:
  /// `shuffle`: 0 for the order of sending, else the seed of another.
  explicit TniNetwork(unsigned shuffle = 0) : shuffled_(shuffle != 0), random_(shuffle) {}

  /// Adds a node; its memory must live as long as this. Returns its number. Throws
  /// std::invalid_argument if its coordinates are taken.
  std::size_t add(std::uint32_t coordinates, std::span<std::byte> memory);
  std::size_t size() const { return nodes_.size(); }
  TofuTni& node(std::size_t node) { return nodes_.at(node); }

  /// Register accesses, as those of TofuTni.
  TniInterface::Answer read(std::size_t node, unsigned address);
  TniInterface::Answer write(std::size_t node, unsigned address, std::uint32_t value);

  /// One packet arrives; false if none is under way.
  bool step();
  /// Until none is under way.
  void settle();
  std::size_t under_way() const;

  /// Looks at a packet as it arrives, and may change it; false loses it.
  std::function<bool(TniPacket&)> tamper;
  /// Packets to nodes that are not there.
  std::uint64_t lost = 0;

 private:
  /// From, interface there, to, interface there, response.
  using Way = std::tuple<std::uint32_t, unsigned, std::uint32_t, unsigned, bool>;
  struct Sent {
    std::uint64_t number;
    TniPacket packet;
  };
  void collect(TofuTni& node);

  std::vector<TofuTni> nodes_;
  std::map<std::uint32_t, std::size_t> places_;
  std::map<Way, std::deque<Sent>> ways_;
  std::uint64_t sent_ = 0;
  bool shuffled_;
  std::mt19937 random_;
};

}  // namespace ht::model
