// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "verif/model/tofu/gates.hpp"

namespace ht::test {

/// How gates are wired for an operation of some nodes: by node, the gates of its channel.
using GatePattern = std::vector<std::map<unsigned, model::GateWiring>>;

/// Patterns of N >= 2 nodes in which every node gets the result, written for the tests of the gates
/// (sw/tofu has the library's). `first` is the first gate used besides the channel's own.
struct PatternOptions {
  std::vector<std::uint32_t> nodes;  ///< coordinates of the N nodes
  std::uint8_t channel = 1, group = 5;
  unsigned first = 8;
};

/// Recursive doubling; nodes beyond a power of two fold in before and get the result after.
GatePattern recursive_doubling(const PatternOptions& options);
/// Once round the ring to collect, once to distribute.
GatePattern double_ring(const PatternOptions& options);
/// Up and down a binary tree.
GatePattern binary_tree(const PatternOptions& options);

struct NamedPattern {
  std::string name;
  GatePattern (*make)(const PatternOptions&);
};
inline std::vector<NamedPattern> all_patterns() {
  return {{"recursive doubling", recursive_doubling},
          {"double ring", double_ring},
          {"tree", binary_tree}};
}

}  // namespace ht::test
