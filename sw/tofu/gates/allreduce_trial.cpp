// SPDX-License-Identifier: Apache-2.0
#include "sw/tofu/gates/allreduce_trial.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sw/host/errors.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "sw/tofu/gates/host_allreduce.hpp"

namespace ht::tofu {

AllreduceSpans run_trial(host::HardwarePort& port, const std::vector<Coordinates>& ranks, int rank,
                         const AllreduceTrial& trial) {
  std::optional<host::NoisyPort> noisy;
  if (trial.noise) {
    host::OsNoise noise = *trial.noise;
    noise.begin = trial.begin;
    noisy.emplace(port, noise, static_cast<std::uint32_t>(rank));
  }
  host::HardwarePort& mine = noisy ? *noisy : port;
  BarrierInterface interface(mine, fmt::format("node {}", rank));
  std::optional<GateCollectives> gates;
  std::optional<HostAllreduce> hosts;
  if (trial.way != AllreduceTrial::Way::Hosts) {
    GateCollectives::Options options;
    options.algorithm = trial.algorithm;
    gates.emplace(interface, ranks, rank, options);
  } else {
    hosts.emplace(interface, ranks, rank);
  }
  if (mine.now() > trial.begin)
    throw UsageError(fmt::format("node {} has wired its gates after {} us only: begin later", rank,
                                 static_cast<double>(mine.now()) * 1e-6));
  port.advance(trial.begin - port.now());

  AllreduceSpans spans;
  const auto n = static_cast<double>(ranks.size());
  for (int round = 0; round < trial.rounds; ++round) {
    const double x = rank + round;  // small integers: exact in any order
    const bool behind = trial.way == AllreduceTrial::Way::GatesBehind;
    double sum = 0;
    if (!behind) mine.advance(trial.work);
    spans.start.push_back(mine.now());
    if (behind) {
      gates->start_sum(x);
      mine.advance(trial.work);
      sum = gates->finish_sum();
    } else {
      sum = gates ? gates->sum(x) : hosts->sum(x);
    }
    spans.end.push_back(mine.now());
    const double expected = n * (n - 1) / 2 + n * round;
    if (sum != expected)
      throw MismatchError(fmt::format("node {}: sum {} is {}, not {}", rank, round, sum, expected));
  }
  return spans;
}

double round_time(const std::vector<AllreduceSpans>& nodes, const AllreduceTrial& trial) {
  Picoseconds end = trial.begin;
  for (const AllreduceSpans& node : nodes) {
    if (!node.end.empty()) end = std::max(end, node.end.back());
  }
  return static_cast<double>(end - trial.begin) / std::max(trial.rounds, 1);
}

std::vector<Picoseconds> durations(const std::vector<AllreduceSpans>& nodes) {
  std::vector<Picoseconds> result;
  for (std::size_t round = 0; !nodes.empty() && round < nodes[0].start.size(); ++round) {
    Picoseconds start = 0, end = 0;
    for (const AllreduceSpans& node : nodes) {
      start = std::max(start, node.start.at(round));
      end = std::max(end, node.end.at(round));
    }
    result.push_back(end - start);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace ht::tofu
