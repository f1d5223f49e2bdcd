// SPDX-License-Identifier: Apache-2.0
// Patterns of barrier gates: properties over N = 2 to 64, by executing them on multisets of ranks.
#include "sw/tofu/gates/barrier_pattern.hpp"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <iostream>
#include <map>
#include <random>

#include "sw/host/errors.hpp"
#include "sw/tofu/gates/barrier_latency.hpp"

using namespace ht::tofu;

namespace {

using Key = std::pair<int, int>;  // rank, gate
using Counts = std::vector<int>;  // how often each rank's contribution is in
using Wirings = std::map<Key, GateWiring>;

Wirings wirings(const BarrierPattern& pattern) {
  Wirings all;
  for (int rank = 0; rank < pattern.ranks(); ++rank) {
    const auto gates = pattern.gates(rank);
    for (std::size_t g = 0; g < gates.size(); ++g) all[{rank, static_cast<int>(g)}] = gates[g];
  }
  return all;
}

/// One operation: ranks start, and signals and packets travel, in a random order. What each rank
/// ends with; `late` are gates that had not fired when their rank's operation was complete.
struct Execution {
  std::vector<Counts> result;
  std::map<Key, int> fired;
  int packets = 0;
  bool late = false;
};

Execution execute(const BarrierPattern& pattern, unsigned seed) {
  const Wirings all = wirings(pattern);
  const auto n = static_cast<std::size_t>(pattern.ranks());
  struct Message {
    Key from, to;
    bool remote;
    Counts value;
  };
  std::mt19937 random(seed);
  std::vector<Message> flying;
  std::map<Key, std::map<bool, Counts>> inputs;
  Execution x;
  x.result.resize(n);
  const auto emit = [&](Key from, const Counts& value) {
    const GateWiring& w = all.at(from);
    if (w.local_destination)
      flying.push_back({from, {from.first, *w.local_destination}, false, value});
    if (w.remote_destination)
      flying.push_back(
          {from, {w.remote_destination->rank, w.remote_destination->gate}, true, value});
  };
  std::vector<int> to_start(n);
  for (std::size_t i = 0; i < n; ++i) to_start[i] = static_cast<int>(i);
  while (!flying.empty() || !to_start.empty()) {
    const std::size_t pick = random() % (flying.size() + to_start.size());
    if (pick < to_start.size()) {
      const int rank = to_start[pick];
      to_start.erase(to_start.begin() + static_cast<std::ptrdiff_t>(pick));
      Counts own(n, 0);
      own[static_cast<std::size_t>(rank)] = 1;
      emit({rank, 0}, own);
      continue;
    }
    const auto at = flying.begin() + static_cast<std::ptrdiff_t>(pick - to_start.size());
    const Message m = *at;
    flying.erase(at);
    x.packets += m.remote;
    auto& in = inputs[m.to];
    const GateWiring& w = all.at(m.to);
    REQUIRE(in.count(m.remote) == 0);  // a gate is fed once
    REQUIRE((m.remote ? w.remote_source.has_value() : w.local_source.has_value()));
    if (m.remote) REQUIRE(*w.remote_source == RemoteGate{m.from.first, m.from.second});
    in[m.remote] = m.value;
    if (in.size() != (w.local_source ? 1U : 0U) + (w.remote_source ? 1U : 0U)) continue;
    Counts sum(n, 0);
    for (const auto& [remote, value] : in) {
      for (std::size_t i = 0; i < n; ++i) sum[i] += value[i];
    }
    ++x.fired[m.to];
    if (m.to.second != 0) {
      emit(m.to, sum);
      continue;
    }
    x.result[static_cast<std::size_t>(m.to.first)] = sum;
    for (const auto& [key, w2] : all) {
      if (key.first == m.to.first && x.fired[key] == 0) x.late = true;
    }
  }
  return x;
}

}  // namespace

TEST_CASE("Barrier patterns: the two ends of every wire name one another") {
  for (const Algorithm algorithm : algorithms) {
    for (int n = 2; n <= 64; ++n) {
      INFO(text(algorithm) << ", " << n << " ranks");
      const Wirings all = wirings(BarrierPattern(algorithm, n));
      for (const auto& [key, w] : all) {
        const auto [rank, gate] = key;
        INFO("rank " << rank << " gate " << gate);
        if (w.local_destination) {
          CHECK(*w.local_destination != gate);
          CHECK(all.at({rank, *w.local_destination}).local_source == gate);
        }
        if (w.local_source) CHECK(all.at({rank, *w.local_source}).local_destination == gate);
        if (w.remote_destination) {
          CHECK(w.remote_destination->rank != rank);
          CHECK(all.at({w.remote_destination->rank, w.remote_destination->gate}).remote_source ==
                RemoteGate{rank, gate});
        }
        if (w.remote_source)
          CHECK(all.at({w.remote_source->rank, w.remote_source->gate}).remote_destination ==
                RemoteGate{rank, gate});
        CHECK((w.local_source || w.remote_source));
        CHECK((w.local_destination || w.remote_destination));
      }
    }
  }
}

TEST_CASE("Barrier patterns: every contribution reaches every rank, once, in any order") {
  for (const Algorithm algorithm : algorithms) {
    for (int n = 2; n <= 64; ++n) {
      INFO(text(algorithm) << ", " << n << " ranks");
      const BarrierPattern pattern(algorithm, n);
      for (unsigned seed = 0; seed < 3; ++seed) {
        const Execution x = execute(pattern, seed * 1000 + static_cast<unsigned>(n));
        const Counts ones(static_cast<std::size_t>(n), 1);
        for (const Counts& result : x.result) CHECK(result == ones);
        for (const auto& [key, w] : wirings(pattern)) CHECK(x.fired.at(key) == 1);
        // A rank that may start the next operation has no gate left in this one.
        CHECK_FALSE(x.late);
      }
    }
  }
}

TEST_CASE("Barrier patterns: gates and receptions of a rank are those of Tofu2012 section 5.2") {
  for (int n = 2; n <= 64; ++n) {
    const auto log2 = static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
    const bool power = std::has_single_bit(static_cast<unsigned>(n));
    for (const Algorithm algorithm : algorithms) {
      const BarrierPattern pattern(algorithm, n);
      INFO(text(algorithm) << ", " << n << " ranks");
      int most_gates = 0, most_received = 0;
      for (int rank = 0; rank < n; ++rank) {
        const auto gates = pattern.gates(rank);
        const auto received = std::count_if(
            gates.begin(), gates.end(), [](const auto& g) { return g.remote_source.has_value(); });
        most_gates = std::max(most_gates, static_cast<int>(gates.size()));
        most_received = std::max(most_received, static_cast<int>(received));
        if (algorithm == Algorithm::RecursiveDoubling && power && n > 2) {
          CHECK(static_cast<int>(gates.size()) == log2);
          CHECK(received == log2);
        }
      }
      CHECK(pattern.most_gates() == most_gates);
      switch (algorithm) {
        case Algorithm::RecursiveDoubling:
          if (!power) {
            CHECK(most_gates == log2 + 2);
            CHECK(most_received == log2 + 1);  // and two steps: one rank's packet in, one out
          }
          break;
        case Algorithm::DoubleRing:
          CHECK(most_gates <= 3);
          CHECK(most_received == (n == 2 ? 1 : 2));
          break;
        case Algorithm::Tree:
          CHECK(most_gates == (n == 2 ? 2 : n <= 4 ? 4 : 5));
          CHECK(most_received <= 3);
          break;
        case Algorithm::WideTree:
          CHECK(most_gates <= 9);
          CHECK(most_received == (n > 20 ? 5 : most_received));
          CHECK(most_received <= 5);
          break;
      }
      CHECK(most_gates <= 57);  // one of 8 that start, and 56 others
    }
  }
}

TEST_CASE("Barrier patterns: packets sent are as few as the algorithm's") {
  for (int n = 2; n <= 64; ++n) {
    INFO(n << " ranks");
    const auto packets = [&](Algorithm a) { return execute(BarrierPattern(a, n), 1).packets; };
    const auto log2 = static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
    const int core = 1 << log2;
    CHECK(packets(Algorithm::RecursiveDoubling) == core * log2 + 2 * (n - core));
    for (const Algorithm a : {Algorithm::DoubleRing, Algorithm::Tree, Algorithm::WideTree})
      CHECK(packets(a) == 2 * (n - 1));  // to bring n values together, and to tell n - 1 ranks
  }
}

TEST_CASE("Barrier patterns: one rank needs no gate, none is refused") {
  for (const Algorithm algorithm : algorithms) {
    CHECK(BarrierPattern(algorithm, 1).gates(0).empty());
    CHECK_THROWS_AS(BarrierPattern(algorithm, 0), ht::UsageError);
    CHECK_THROWS_AS(BarrierPattern(algorithm, 5).gates(5), ht::UsageError);
  }
}

TEST_CASE("Barrier latency: steps along the longest chain are those of the algorithm") {
  for (int n = 2; n <= 64; ++n) {
    INFO(n << " ranks");
    const Shape machine = Shape::for_nodes(n);
    const auto log2 = static_cast<int>(std::bit_width(static_cast<unsigned>(n))) - 1;
    // A chain that takes in an extra rank's value and ends at an extra rank has two steps more, but
    // crosses the top bit only if extra ranks hand in on both sides of it.
    const int extra = n - (1 << log2);
    const int more = extra == 0 ? 0 : extra > (1 << log2) / 2 ? 2 : 1;
    // A hop that costs much more than anything else: the chain with the most packets is longest.
    const auto steps = [&](Algorithm a) {
      BarrierTiming timing;
      timing.injection = 1'000'000;
      return latency(BarrierPattern(a, n), machine, timing).packets;
    };
    CHECK(steps(Algorithm::RecursiveDoubling) == log2 + more);
    CHECK(steps(Algorithm::DoubleRing) == 2 * (n - 1));
    CHECK(steps(Algorithm::Tree) == 2 * log2);  // the depth of a heap of n
  }
}

TEST_CASE("Barrier latency: two neighbours, by hand") {
  // 0 -> own gate 1 and the other's over one link, fires, -> 0, which ends.
  const Shape machine{{1, 1, 1, 2, 1, 1}, {}};
  const auto l = latency(BarrierPattern(Algorithm::RecursiveDoubling, 2), machine);
  CHECK(l.cycles == 2 + (3 + 28 + 5) + 8 + 6 + 1);
  CHECK(l.hops == 1);
  CHECK(l.packets == 1);
  CHECK(l.gates == 2);
}

TEST_CASE("Barrier latency: a hundred thousand ranks") {
  const Shape machine{{24, 18, 20, 2, 3, 2}, {true, true, true}};
  const int n = 100'000;
  const auto doubling = latency(BarrierPattern(Algorithm::RecursiveDoubling, n), machine);
  const auto tree = latency(BarrierPattern(Algorithm::Tree, n), machine);
  const auto ring = latency(BarrierPattern(Algorithm::DoubleRing, n), machine);
  CHECK(doubling.packets <= 18);
  CHECK(ring.packets == 2 * (n - 1));
  CHECK(tree.cycles < ring.cycles / 100);
  CHECK(doubling.cycles < tree.cycles);
  CHECK_THROWS_AS(latency(BarrierPattern(Algorithm::Tree, 13), Shape{{1, 1, 1, 2, 3, 2}, {}}),
                  ht::UsageError);
}

// test_tofu_pattern "[table]" prints the table of sw/tofu/README.md.
TEST_CASE("Barrier latency: the table", "[.table]") {
  const auto row = [](int n, const Shape& machine) {
    std::cout << "| " << n;
    for (const Algorithm a : algorithms) {
      const BarrierPattern pattern(a, n);
      std::cout << " | " << pattern.most_gates() << ", "
                << latency(pattern, machine, BarrierTiming::barrier()).cycles << ", "
                << latency(pattern, machine).cycles;
    }
    std::cout << " |\n";
  };
  for (int n = 2; n <= 64; ++n) row(n, Shape::for_nodes(n));
  row(100'000, Shape{{24, 18, 20, 2, 3, 2}, {true, true, true}});
}
