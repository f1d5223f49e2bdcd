// SPDX-License-Identifier: Apache-2.0
// Sums by gates and by hosts, with and without operating-system noise.
#include <catch2/catch.hpp>
#include <cmath>
#include <iostream>
#include <numeric>
#include <utility>

#include "sw/host/errors.hpp"
#include "sw/tofu/functional/functional_tofu.hpp"
#include "sw/tofu/gates/allreduce_trial.hpp"
#include "sw/tofu/gates/barrier_latency.hpp"
#include "sw/tofu/gates/host_allreduce.hpp"

using namespace ht;
using namespace ht::tofu;

namespace {

struct Result {
  double round;
  std::vector<Picoseconds> durations;
};

Result run(int ranks, const AllreduceTrial& trial) {
  const Shape shape = Shape::for_nodes(ranks);
  FunctionalTofu machine(shape);
  std::vector<AllreduceSpans> spans(static_cast<std::size_t>(ranks));
  machine.run([&](int rank, host::HardwarePort& port) {
    if (rank < ranks)
      spans[static_cast<std::size_t>(rank)] =
          run_trial(port, shape.first_places(ranks), rank, trial);
  });
  return {round_time(spans, trial), durations(spans)};
}

double mean(const std::vector<Picoseconds>& times) {
  return static_cast<double>(std::accumulate(times.begin(), times.end(), Picoseconds{0})) /
         static_cast<double>(times.size());
}

}  // namespace

TEST_CASE("Sums by gates beat those by hosts, and noise hits least what gates do meanwhile") {
  using Way = AllreduceTrial::Way;
  for (const int n : {8, 16}) {
    INFO(n << " nodes");
    AllreduceTrial trial;
    const auto with = [&](Way way) {
      trial.way = way;
      return run(n, trial);
    };
    const Result gates = with(Way::Gates), hosts = with(Way::Hosts);
    CHECK(mean(hosts.durations) > 2 * mean(gates.durations));
    // By hosts: each of k steps costs registers, start, poll, adding, and the way.
    const double step = 3 * 100'000 + 20'000 + 20'000 + 200'000 + 28 * 3'200;
    CHECK(mean(hosts.durations) > (n == 8 ? 3 : 4) * step);
    // By gates: no more than what the model says, and the software at both ends.
    const auto model =
        latency(BarrierPattern(Algorithm::RecursiveDoubling, n), Shape::for_nodes(n));
    CHECK(gates.durations.back() <= model.cycles * 3'200 + 4 * 100'000 + 2 * 20'000);

    // Noise below the time of a round's computing: 3.5 % of the time, by itself.
    trial.rounds = 300;
    trial.work = 100'000'000;
    const auto more = [&](Way way) {
      trial.noise.reset();
      const double quiet = with(way).round;
      trial.noise = host::OsNoise{1'000'000'000, 20'000'000, 50'000'000, 3, 0};
      return with(way).round - quiet;
    };
    const double behind = more(Way::GatesBehind), after = more(Way::Gates),
                 by_hosts = more(Way::Hosts);
    CHECK(behind > 0);
    CHECK(behind < 0.1 * 100'000'000);
    CHECK(after > 3 * behind);
    CHECK(by_hosts > 3 * behind);
  }
}

TEST_CASE("Sums by hosts: refusals, and durations by hand") {
  const Shape shape{{6, 1, 1, 2, 1, 1}, {true, true, true}};
  FunctionalTofu machine(shape);
  machine.run([&](int rank, host::HardwarePort& port) {
    if (rank != 0) return;
    BarrierInterface interface(port, "node 0");
    CHECK_THROWS_AS(HostAllreduce(interface, shape.first_places(12), 0), UsageError);
    CHECK_THROWS_AS(HostAllreduce(interface, shape.first_places(8), 8), UsageError);
    HostAllreduce::Options late;
    late.first_channel = 6;
    CHECK_THROWS_AS(HostAllreduce(interface, shape.first_places(8), 0, late), UsageError);
    AllreduceTrial early;
    early.begin = 1;
    CHECK_THROWS_AS(run_trial(port, shape.first_places(4), 0, early), UsageError);
  });
  CHECK(durations({{{10, 30}, {15, 50}}, {{12, 20}, {14, 34}}}) == std::vector<Picoseconds>{3, 20});
  CHECK(durations({}).empty());
}

// test_tofu_gates "[table]" prints the table of sw/tofu/README.md.
TEST_CASE("Sums under noise: the table", "[.table]") {
  using Way = AllreduceTrial::Way;
  for (const auto& [way, name] :
       {std::pair{Way::Hosts, "by hosts"}, std::pair{Way::Gates, "by gates"},
        std::pair{Way::GatesBehind, "by gates, meanwhile"}}) {
    std::cout << "| " << name;
    for (const int n : {8, 16, 32, 64}) {
      AllreduceTrial trial;
      trial.way = way;
      trial.rounds = 500;
      trial.work = 100'000'000;
      const double quiet = run(n, trial).round;
      trial.noise = host::OsNoise{1'000'000'000, 20'000'000, 50'000'000, 3, 0};
      std::cout << " | " << std::round((run(n, trial).round - quiet) * 1e-5) / 10;
    }
    std::cout << " |\n";
  }
}
