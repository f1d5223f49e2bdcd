// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sw/host/time.hpp"

namespace ht::bench {

/// Messages of one size to a neighbour and back.
struct MessageTime {
  std::size_t bytes = 0;
  Picoseconds half_round_trip = 0;

  double microseconds() const { return static_cast<double>(half_round_trip) * 1e-6; }
  double gigabytes_a_second() const {
    return static_cast<double>(bytes) / static_cast<double>(half_round_trip) * 1e3;
  }
};

/// 8 bytes, twice as many, and so on, to `largest`.
std::vector<std::size_t> message_sizes(std::size_t largest);

/// A QMP program, for every node of a machine: messages of these sizes go to and fro between the
/// first node and its neighbour along the first axis that has one, while the others wait. The
/// times are the first node's, the others return none. Messages are declared once a size, and gone
/// round once before they are timed. Throws MismatchError if one comes back altered, UsageError if
/// there is no neighbour.
std::vector<MessageTime> message_times(const std::vector<std::size_t>& sizes);

}  // namespace ht::bench
