// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "sim/axi/axi_cluster.hpp"
#include "sim/machine/torus.hpp"
#include "tests/axi/processes.hpp"
#include "tests/support/scratch_folder.hpp"
#include "tests/support/test_seed.hpp"

namespace ht::test {

/// Nodes on a torus, each link's cable plugged into the other link of its axis; clocks are to be
/// filled in.
inline machine::AxiClusterOptions torus_cluster(const std::vector<int>& shape) {
  machine::AxiClusterOptions options;
  options.nodes = machine::node_count(shape);
  options.neighbour = [shape](int node, int link) {
    return machine::torus_neighbour(shape, node, link);
  };
  options.random_state = true;
  return options;
}

/// Cables, errors, the buses' stalls and initial states of a trial, for a machine of any kind.
inline void draw(machine::AxiClusterOptions& options, std::uint64_t trial) {
  std::mt19937_64 random(seed_of(trial));
  const auto any = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  options.seed = random();
  options.cable_delay = static_cast<Picoseconds>(any(20'000, 100'000));
  options.bit_error_rate = std::pow(10, any(-7, -5));
  options.node.stall = any(0, 0.8);
}

/// Simulates nodes behind AXI while a process for each runs `programs` of tests/qmp on it; all must
/// end well.
template <class Wires>
void run_cluster(machine::AxiClusterOptions options, const std::string& program,
                 const std::string& shape, const std::vector<std::string>& programs) {
  const ScratchFolder folder;
  options.folder = folder.path();
  options.node.patience = 60;
  machine::AxiCluster<Wires> cluster(options);
  Processes processes(folder.path());
  for (int node = 0; node < options.nodes; ++node) {
    std::vector<std::string> words{program, cluster.window(node).string(), std::to_string(node),
                                   shape};
    words.insert(words.end(), programs.begin(), programs.end());
    processes.start(words);
  }
  INFO("seed " << options.seed << ", cables of " << options.cable_delay << " ps, "
               << options.bit_error_rate << " errors a bit, stalls " << options.node.stall);
  CHECK_NOTHROW(cluster.run());
  for (const auto& end : processes.wait()) {
    CHECK(end.said == "");
    CHECK(end.code == 0);
  }
}

}  // namespace ht::test
