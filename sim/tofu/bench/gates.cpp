// SPDX-License-Identifier: Apache-2.0
#include "sim/tofu/bench/gates.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>

#include "sim/tofu/machine.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "verif/model/tofu/wire.hpp"

namespace ht::bench {
namespace {

using machine::TofuMachine;
using machine::TofuMachineOptions;
using tofu::Algorithm;
using tofu::GateCollectives;

// Every node has wired its gates by then.
constexpr Picoseconds begin = 200'000'000, round_time = 100'000'000;
// rtl/tofu/README.md: rxd to the router 3, through it 3, twice for a gate, and to txd 2.
constexpr std::int64_t around_gate = 3 + 3 + 3 + 2;
constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();

// Edges at which packets begin and end on a cable: the sender's, and the receiver's.
class PacketTimes final : public sim::CableTap<model::Beat> {
 public:
  explicit PacketTimes(std::int64_t delay) : delay_(delay) {}
  void carried(std::int64_t slot, const model::Beat& sent, const model::Beat* /*got*/) override {
    if (sent.is(0, model::tofu::kStart)) first_sent.push_back(slot);
    if (sent.is(0, model::tofu::kEnd)) last_received.push_back(slot + delay_);
  }
  void inserted(std::int64_t /*slot*/, const model::Beat& /*got*/) override {}

  std::vector<std::int64_t> first_sent, last_received;

 private:
  std::int64_t delay_;
};

TofuMachineOptions options_of(const tofu::Shape& shape) {
  TofuMachineOptions o;
  o.shape = shape;
  o.messages = false;
  o.driver.icc.barrier.start_cost = 0;
  o.driver.icc.barrier.poll_cost = 3'200;
  return o;
}

// Taps on all cables of a machine whose clocks are in phase.
class Taps {
 public:
  explicit Taps(TofuMachine& m) : m_(m) {
    const auto delay = TofuMachineOptions{}.cable_delay / m.link_period();
    for (int node = 0; node < m.size(); ++node) {
      for (int link = 0; link < m.links(); ++link) {
        taps_.push_back(std::make_unique<PacketTimes>(delay));
        m.cable(node, link).listen(taps_.back().get());
      }
    }
  }
  const PacketTimes& out(int node, int link) const {
    return *taps_[static_cast<std::size_t>(node * m_.links() + link)];
  }
  const PacketTimes& in(int node, int link) const {
    return out(m_.neighbour(node, link), m_.far_link(link));
  }

 private:
  TofuMachine& m_;
  std::vector<std::unique_ptr<PacketTimes>> taps_;
};

// A barrier of `ranks`, in which node `last` comes long after the others.
void run_barriers(TofuMachine& m, const std::vector<int>& ranks, Algorithm algorithm, int last) {
  m.run([&](tofu::Transport& t) {
    tofu::Icc& icc = t.icc();
    const auto at = std::find(ranks.begin(), ranks.end(), icc.place().node);
    if (at == ranks.end()) return;
    GateCollectives::Options gates;
    gates.algorithm = algorithm;
    GateCollectives all(icc.barrier(), icc.place().machine.places(ranks),
                        static_cast<int>(at - ranks.begin()), gates);
    icc.port().advance(begin - icc.port().now());
    if (*at == last) icc.port().advance(round_time / 10);
    all.barrier();
  });
}

}  // namespace

TofuCycles tofu_cycles() {
  TofuCycles cycles;
  const std::int64_t delay =
      TofuMachineOptions{}.cable_delay / TofuMachineOptions{}.node.clock.period;
  {
    // Over a node in between.
    TofuMachine m(options_of({{3, 1, 1, 1, 1, 1}, {false, true, true}}));
    const Taps taps(m);
    run_barriers(m, {0, 2}, Algorithm::RecursiveDoubling, 2);
    const auto& in = taps.out(0, 0).first_sent;
    const auto& on = taps.out(1, 0).first_sent;
    if (in.empty() || in.size() != on.size())
      throw std::logic_error("bench: no packet passed through node 1");
    cycles.hop = on.front() + 1 - in.front() - delay;
  }
  // Along a ring of three nodes, the first of which comes last: gates of the others relay.
  TofuMachine m(options_of({{1, 1, 1, 1, 3, 1}, {true, true, true}}));
  const Taps taps(m);
  run_barriers(m, {0, 1, 2}, Algorithm::DoubleRing, 0);
  cycles.gate_wire = none;
  for (int node = 1; node < 3; ++node) {
    for (int in = 0; in < m.links(); ++in) {
      for (const std::int64_t came : taps.in(node, in).last_received) {
        for (int out = 0; out < m.links(); ++out) {
          for (const std::int64_t went : taps.out(node, out).first_sent) {
            if (went > came) cycles.gate_wire = std::min(cycles.gate_wire, went + 1 - came);
          }
        }
      }
    }
  }
  if (cycles.gate_wire == none) throw std::logic_error("bench: no gate relayed anything");
  cycles.gate = cycles.gate_wire - around_gate;
  return cycles;
}

CollectiveTime tofu_collective(int count, Algorithm algorithm, int rounds) {
  const tofu::Shape machine = tofu::Shape::for_nodes(count);
  TofuMachine m(options_of(machine));
  std::mutex mutex;
  CollectiveTime result;
  std::vector<Picoseconds> barrier(static_cast<std::size_t>(rounds), 0), sum = barrier;
  m.run([&](tofu::Transport& t) {
    tofu::Icc& icc = t.icc();
    if (icc.place().node >= count) return;
    host::HardwarePort& port = icc.port();
    GateCollectives::Options gates;
    gates.algorithm = algorithm;
    GateCollectives all(icc.barrier(), machine.first_places(count), icc.place().node, gates);
    std::vector<Picoseconds> took;
    for (int i = 0; i < 2 * rounds; ++i) {
      const Picoseconds start = begin + i * round_time;
      if (port.now() > start) throw std::logic_error("bench: a collective took a whole round");
      port.advance(start - port.now());
      if (i < rounds) {
        all.barrier();
      } else if (all.sum(1.0) != count) {
        throw std::logic_error("bench: a sum is wrong");
      }
      took.push_back(port.now() - start);
    }
    const std::lock_guard lock(mutex);
    result.gates = std::max(result.gates, all.gates());
    for (std::size_t i = 0; i < barrier.size(); ++i) {
      barrier[i] = std::max(barrier[i], took[i]);
      sum[i] = std::max(sum[i], took[barrier.size() + i]);
    }
  });
  const auto mean_us = [rounds](const std::vector<Picoseconds>& times) {
    double total = 0;
    for (const Picoseconds t : times) total += static_cast<double>(t);
    return total * 1e-6 / rounds;
  };
  result.barrier_us = mean_us(barrier);
  result.sum_us = mean_us(sum);
  return result;
}

double tofu_trial(const tofu::Shape& machine, const tofu::AllreduceTrial& trial) {
  TofuMachineOptions options;
  options.shape = machine;
  options.messages = false;
  TofuMachine m(options);
  std::vector<tofu::AllreduceSpans> spans(static_cast<std::size_t>(m.size()));
  std::mutex mutex;
  m.run([&](tofu::Transport& t) {
    tofu::Icc& icc = t.icc();
    const int rank = icc.place().node;
    auto own = tofu::run_trial(icc.port(), machine.first_places(m.size()), rank, trial);
    const std::lock_guard lock(mutex);
    spans[static_cast<std::size_t>(rank)] = std::move(own);
  });
  return tofu::round_time(spans, trial);
}

}  // namespace ht::bench
