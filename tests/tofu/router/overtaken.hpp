// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>

namespace ht::test {

/// Traffic that meets at one output of a router, X+ of the middle node of a mesh of three.
struct Contention {
  bool in_turn = false;
  unsigned local = 1;                ///< interfaces of the middle node that send there, 1 to 4
  bool responses = true;             ///< they send responses to themselves, over a free port, too
  std::array<unsigned, 3> beats{};   ///< of payload: requests, responses, packets in transit
  std::array<unsigned, 4> phases{};  ///< cycle in which an interface's responses begin
  unsigned cycles = 4000;
};

struct Overtaking {
  unsigned worst =
      0;  ///< packets chosen at the output between two of one sender, or since its last
  unsigned fewest = 0;  ///< packets of the sender that sent the fewest
};

/// Keeps all senders offering packets for so many cycles.
Overtaking contend(const Contention& contention);

}  // namespace ht::test
