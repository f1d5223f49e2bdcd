// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <atomic>
#include <cstddef>

#include "sw/program/host.h"

namespace ht::program {

/// What another process can see of programs that run, or ran when it ended: plain
/// memory, shared with a process that watches. Programs may damage it as everything else here.
struct RunRecord {
  /// Of a thread that runs nodes: the fibre it is in, or null.
  struct Thread {
    std::atomic<const void*> fibre{nullptr};
  };
  /// By rank: the fibre its program runs in, and the last function of the network it called.
  struct Node {
    std::atomic<const void*> fibre{nullptr};
    std::array<char, HYPERTORUS_CALL_BYTES> call{};
  };
  static constexpr std::size_t most_threads = 1024, most_nodes = 4096;

  std::atomic<unsigned> threads_used{0};
  std::array<Thread, most_threads> threads;
  std::array<Node, most_nodes> nodes;  ///< of machines that are larger, the first ones
};

}  // namespace ht::program
