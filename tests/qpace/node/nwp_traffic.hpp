// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tests/qpace/node/nwp_harness.hpp"

namespace ht::test {

/// Random traffic over all links and channels of a node, and what goes wrong meanwhile.
struct Traffic {
  NwpClocks clocks{};
  int delay = 0;             ///< of each cable, link clocks
  bool self = false;         ///< each link to itself instead of rings
  int packets = 100;         ///< a link
  unsigned max_credit = 12;  ///< packets of a message, that is of a credit
  unsigned stall = 0;        ///< of 16: how often a sink stall begins
  unsigned stall_max = 40;   ///< core cycles of a stall, at most
  unsigned pause = 0;        ///< of 16: how often the source pauses
  unsigned lazy = 0;         ///< core cycles the software idles between credits, at most
  unsigned damage = 0;       ///< one word in so many is damaged, 0 never
  unsigned seed = 1;
};

/// What happened, so that a test can tell that it tested something.
struct TrafficCounts {
  std::uint64_t retransmits = 0;  ///< packets sent again
  std::uint64_t busy = 0;         ///< BUSYs sent
  std::uint64_t notifications = 0;
};

/// Sends it, with credits in random order and time, and checks every beat that leaves the node
/// against NwpReference: order per channel, addresses, data, notifications; in the end that nothing
/// is missing, that both ends of every cable agree and that no error is reported. Throws, or fails
/// a check, otherwise.
TrafficCounts run_traffic(const Traffic& traffic);

}  // namespace ht::test
