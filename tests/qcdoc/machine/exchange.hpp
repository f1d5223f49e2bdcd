// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "sim/qcdoc/machine.hpp"

namespace ht::test {

/// What a node saw while it exchanged messages.
struct Exchange {
  std::vector<Picoseconds> stamps;  ///< of every round's end
  std::uint64_t hash = 0;           ///< over all that came
  std::uint64_t wrong = 0;          ///< words that are not what was sent
  bool operator==(const Exchange&) const = default;
};

/// Every node sends `words` words along every direction of the application's torus and receives as
/// many from each, `rounds` times, others each time. With `compute` node 0 works so long before it
/// takes part in the second round.
void exchange(qcdoc::Driver& driver, std::size_t words, int rounds, Exchange& seen,
              Picoseconds compute = 0);

/// All that a run shows of itself: what the nodes saw, what the links counted, when it ended.
struct Record {
  std::vector<Exchange> nodes;
  std::vector<std::uint64_t> counters;
  std::vector<std::uint64_t> cables;  ///< over every bit and its time
  Picoseconds end = 0;
  std::uint64_t cycles = 0, skipped = 0;
  std::uint64_t rested = 0;  ///< cycles of links at rest in nodes that were not
  std::uint64_t resent = 0, injected = 0;
  bool checksums_agree = true;
};

/// Runs a program on all nodes of a machine and reads its links.
using Program = std::function<void(qcdoc::Driver&, Exchange& seen)>;
Record record(const machine::QcdocMachineOptions& options, const Program& program);
/// The same of exchange().
Record record(const machine::QcdocMachineOptions& options, std::size_t words, int rounds,
              Picoseconds compute = 0);

}  // namespace ht::test
