// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <vector>

namespace ht::test {

/// Every node of a torus sends messages of random sizes over all its links and both of QMP's
/// channels at once; every node receives them late and in random order, into a memory that stalls,
/// over cables with bit errors. So receivers run out of room and senders, their FIFOs and their
/// ports wait.
struct BackPressure {
  std::vector<int> shape;
  int messages = 4;              ///< on each link and channel
  int max_packets = 40;          ///< of a message
  int max_delay_us = 8;          ///< between the starts of two receives of a node
  unsigned memory_stalls = 100;  ///< of 256
  double bit_error_rate = 1e-6;
  std::uint64_t seed = 1;
};

/// Checks every byte of every message, that nothing is missing or doubled (counters and checksums
/// of both ends of every cable), that no error escaped, and that there was back-pressure.
void check_back_pressure(const BackPressure& options);

}  // namespace ht::test
