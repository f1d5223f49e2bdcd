// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <vector>

#include "sw/host/hardware_port.hpp"
#include "sw/host/noisy_port.hpp"
#include "sw/tofu/gates/barrier_pattern.hpp"
#include "sw/tofu/ranks/coordinates.hpp"

namespace ht::tofu {

/// Sums in a row, with some computing between them, by gates or by the hosts, on nodes whose
/// operating systems interrupt or do not ([Tofu2012] section 5.4).
struct AllreduceTrial {
  enum class Way {
    Gates,        ///< computes, then sums
    GatesBehind,  ///< computes while the gates sum what it had before
    Hosts,        ///< HostAllreduce: computes, then sums
  };
  Way way = Way::Gates;
  Algorithm algorithm = Algorithm::RecursiveDoubling;
  int rounds = 200;
  Picoseconds work = 20'000'000;  ///< computing, each round
  std::optional<host::OsNoise> noise;
  Picoseconds begin = 200'000'000;  ///< when all have wired their gates
};

/// One node's sums: when it began each, and when it had the result.
struct AllreduceSpans {
  std::vector<Picoseconds> start, end;
};

/// A node's part of the trial, on whatever machine is behind its port. Throws MismatchError if a
/// sum is wrong, UsageError if it is not ready by the beginning.
AllreduceSpans run_trial(host::HardwarePort& port, const std::vector<Coordinates>& ranks, int rank,
                         const AllreduceTrial& trial);

/// From the beginning until the last node had its last result, over the rounds: ps a round.
double round_time(const std::vector<AllreduceSpans>& nodes, const AllreduceTrial& trial);

/// Of each sum, the time from the last node's start to the last node's end: what the others cost
/// the last one to come. In order of length.
std::vector<Picoseconds> durations(const std::vector<AllreduceSpans>& nodes);

}  // namespace ht::tofu
