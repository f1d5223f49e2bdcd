// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/axi/axi_node.hpp"
#include "sim/kernel/kernel.hpp"
#include "sim/machine/machine_draw.hpp"

namespace ht::machine {

/// Nodes behind AXI, and the cables between them.
struct AxiClusterOptions {
  std::filesystem::path folder;  ///< where the windows are made: node0, node1, ...
  int nodes = 1;
  /// The node that a link's cable leads to, the node itself if there is none; and its link there.
  std::function<int(int node, int link)> neighbour;
  std::function<int(int link)> far_link = [](int link) { return link ^ 1; };
  AxiNodeOptions node;
  bool random_phases = true;  ///< clocks start at phases drawn from the seed
  bool random_state = false;
  Picoseconds cable_delay = 100'000;
  double bit_error_rate = 0;  ///< of every cable
  std::uint64_t seed = 1;
  sim::KernelOptions kernel;
};

/// Simulates them until the programs of all nodes have ended.
template <class Wires>
class AxiCluster {
 public:
  using Node = AxiNode<Wires>;
  using Cable = typename Wires::Cable;

  /// Makes the windows. Throws DataError if they cannot be made, UsageError for options that cannot
  /// be.
  explicit AxiCluster(AxiClusterOptions options)
      : options_(std::move(options)), kernel_(options_.kernel) {
    const MachineDraw phases(options_.seed, Purpose::Phases);
    const MachineDraw states(options_.seed, Purpose::InitialState);
    std::vector<sim::Clock> clocks;
    for (int number = 0; number < options_.nodes; ++number) {
      AxiNodeOptions own = options_.node;
      const auto n = static_cast<std::uint64_t>(number);
      own.seed = options_.seed + n;
      if (options_.random_phases) {
        own.clock.phase = phases.below(own.clock.period, 2 * n);
        own.link_clock.phase = phases.below(own.link_clock.period, 2 * n + 1);
      }
      if (options_.random_state)
        own.initial_state = static_cast<std::uint32_t>(states.below(std::int64_t{1} << 32, n));
      clocks.push_back(Wires::one_clock ? own.clock : own.link_clock);
      auto node = std::make_unique<Node>(number, window(number), own);
      nodes_.push_back(node.get());
      kernel_.add_node(std::move(node));
    }
    plug(clocks);
  }
  ~AxiCluster() = default;
  AxiCluster(const AxiCluster&) = delete;
  AxiCluster& operator=(const AxiCluster&) = delete;

  std::filesystem::path window(int number) const {
    return options_.folder / fmt::format("node{}", number);
  }
  sim::Kernel& kernel() { return kernel_; }

  /// Throws what a node or the kernel throws; the programs are told. False if it was stopped.
  bool run() {
    try {
      // Programs that have ended may still be wanted by others, and end when all have.
      for (const bool all : {false, true}) {
        if (all) {
          for (Node* node : nodes_) node->job_ended();
        }
        if (kernel_.run() != sim::RunEnd::Finished) {
          close("the simulation was stopped");
          return false;
        }
      }
      return true;
    } catch (const std::exception& e) {
      close(fmt::format("the simulation ended: {}", e.what()));
      throw;
    }
  }

 private:
  void close(const std::string& why) {
    for (Node* node : nodes_) node->close(why);
  }

  void plug(const std::vector<sim::Clock>& clocks) {
    std::vector<Cable*> cables;
    const auto at = [](int node, int link) {
      return static_cast<std::size_t>(node * Wires::links + link);
    };
    for (int from = 0; from < options_.nodes; ++from) {
      for (int link = 0; link < Wires::links; ++link) {
        const int to = options_.neighbour(from, link);
        sim::CableOptions cable;
        cable.name = fmt::format("node {} link {} to node {}", from, link, to);
        cable.number = static_cast<std::uint32_t>(at(from, link));
        cable.sender = clocks[static_cast<std::size_t>(from)];
        cable.receiver = clocks[static_cast<std::size_t>(to)];
        cable.delay = options_.cable_delay;
        cable.seed = options_.seed;
        cable.faults.bit_error_rate =
            to == from && !Wires::own_cables ? 0 : options_.bit_error_rate;
        auto owned = std::make_unique<Cable>(std::move(cable));
        cables.push_back(owned.get());
        kernel_.add_cable(std::move(owned), static_cast<std::size_t>(from),
                          static_cast<std::size_t>(to));
      }
    }
    for (int from = 0; from < options_.nodes; ++from) {
      for (int link = 0; link < Wires::links; ++link) {
        const int to = options_.neighbour(from, link);
        if (to == from && !Wires::own_cables) continue;
        nodes_[static_cast<std::size_t>(from)]->connect(link, *cables[at(from, link)],
                                                        *cables[at(to, options_.far_link(link))]);
      }
    }
  }

  AxiClusterOptions options_;
  sim::Kernel kernel_;
  std::vector<Node*> nodes_;  ///< the kernel's
};

}  // namespace ht::machine
