// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>

#include "sw/qcdoc/driver.hpp"

namespace ht::qcdoc {

/// Blocks of a ring of nodes, one a node, by coordinate in memory.
struct Ring {
  int length = 2, here = 0;
  std::uint64_t address = 0;  ///< of coordinate 0's block
  std::uint64_t stride = 0;   ///< bytes from block to block
  std::uint32_t words = 1;    ///< of a block that circulate
};

/// Words a node may add to a ring in which others' words are passed through: a link holds three,
/// and one place must stay free for the ring to move on.
constexpr std::uint32_t words_a_round = 2;

/// What one node does so that blocks of `steps` nodes, the ones at coordinates here - sign,
/// here - 2 sign, ..., arrive here: descriptors of where they go, in the order in which they come.
std::vector<Descriptor> arrivals(const Ring& ring, int sign, int steps);

/// Kinds of the driver's supervisor words, in bits 51:48; bits 55:52 number the operation.
enum Kind : unsigned { Circulation = 1, Broadcast = 2, Go = 3, Checksum = 4 };

/// One way round a ring, or a broadcast's only way.
struct Driver::Way {
  std::vector<int> outputs;    ///< links
  int input = -1;              ///< link; -1: nothing comes in
  std::deque<Transfer> sends;  ///< own words, on each output
  Transfer receive;
  std::uint32_t forwards = 0;  ///< words passed on
  int set = 0;                 ///< that does so
};

/// What is under way at once.
struct Driver::Round {
  std::deque<Way> ways;
};

/// A global operation, to be used again.
struct Driver::Plan {
  int axis = 0;               ///< -1: a broadcast
  std::uint64_t address = 0;  ///< of the blocks
  std::size_t stride = 0;     ///< bytes of one
  std::deque<Round> rounds;
};

template <typename Condition>
void Driver::run_until(Condition condition, std::string_view what) {
  for (;;) {
    progress();
    if (condition()) return;
    if (!serve()) port_.wait(what);
  }
}

}  // namespace ht::qcdoc
