// SPDX-License-Identifier: Apache-2.0
// The cycles that the latency model takes gates to need, measured in Verilog.
#include <Vtofu_tbi_top.h>
#include <verilated.h>

#include <catch2/catch.hpp>
#include <memory>

#include "sw/tofu/gates/barrier_latency.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "sw/tofu/registers.hpp"
#include "tests/tofu/gates/tbi_node.hpp"
#include "tests/tofu/sw/gate_machine.hpp"

using namespace ht;
using namespace ht::test;
namespace tbi = ht::tofu::registers::tbi;

namespace {

constexpr std::uint32_t elsewhere = 1;

/// Gates 8 to 8 + n - 1 in a row: a packet into the first, signals, a packet out of the last; and
/// gate 1, which starts with a packet out and ends with a packet in.
class Chain {
 public:
  explicit Chain(unsigned n)
      : context_(std::make_unique<VerilatedContext>()), node(context_.get(), 0) {
    run(140);
    for (unsigned g = 8; g < 8 + n; ++g) {
      std::uint32_t control = tbi::gate_control_wired.mask | tbi::gate_control_channel.put(1);
      if (g == 8) {
        write(tbi::gate_source(g), elsewhere | 8U << 24);
        control |= tbi::gate_control_remote_in.mask;
      } else {
        control |= tbi::gate_control_local_in.mask | tbi::gate_control_local_source.put(g - 1);
      }
      if (g == 8 + n - 1) {
        write(tbi::gate_destination(g), elsewhere | 8U << 24);
        control |= tbi::gate_control_remote_out.mask;
      } else {
        control |=
            tbi::gate_control_local_out.mask | tbi::gate_control_local_destination.put(g + 1);
      }
      write(tbi::gate_control(g), control);
    }
    write(tbi::gate_source(1), elsewhere | 1U << 24);
    write(tbi::gate_destination(1), elsewhere | 1U << 24);
    write(tbi::gate_control(1), tbi::gate_control_wired.mask | tbi::gate_control_remote_in.mask |
                                    tbi::gate_control_remote_out.mask |
                                    tbi::gate_control_channel.put(1));
    write(tbi::result_address(1), 64);
  }

  void run(int cycles) {
    for (int i = 0; i < cycles; ++i) node.step();
  }
  void write(unsigned address, std::uint32_t value) {
    node.accesses.push_back(
        {true, address, value, [](std::uint32_t, bool refused) { REQUIRE_FALSE(refused); }});
    while (!node.accesses.empty()) node.step();
  }

  /// From the last beat of a packet in to the first beat out of the last gate.
  std::int64_t through(model::GateOperation operation) {
    model::GatePacket p;
    p.from = {elsewhere, 8};
    p.to = {0, 8};
    p.sequence = sequence_++;
    p.operation = operation;
    p.data = model::state_of(1.5);
    node.arrive(p);
    for (int i = 0; i < 500 && node.out.empty(); ++i) node.step();
    REQUIRE(node.out.size() == 1);
    CHECK(node.out.front().operation == operation);
    node.out.clear();
    run(20);
    return static_cast<std::int64_t>(node.first_beat_out - node.last_beat_in);
  }

  /// From START's acknowledgement to the first beat out, and from the last beat of the packet that
  /// ends the operation to the last one of its result in memory.
  std::pair<std::int64_t, std::int64_t> ends(model::GateOperation operation) {
    const auto form = operation == model::GateOperation::Fsum ? tbi::start_form_double : 0;
    write(tbi::start(1), tbi::start_operation.put(static_cast<std::uint32_t>(operation)) |
                             tbi::start_form.put(form));
    const std::uint64_t started = node.cycle - 1;
    for (int i = 0; i < 500 && node.out.empty(); ++i) node.step();
    REQUIRE(node.out.size() == 1);
    const int beats = operation == model::GateOperation::Fsum ? 6 : 3;
    const auto start = static_cast<std::int64_t>(node.cycle - 1 - started) - (beats - 1);
    model::GatePacket p = node.out.front();
    node.out.clear();
    std::swap(p.to, p.from);
    node.memory.clear();
    node.arrive(p);
    for (int i = 0; i < 500 && node.memory.count(66) == 0; ++i) node.step();
    REQUIRE(node.memory.size() == 3);
    return {start, static_cast<std::int64_t>(node.cycle - 1 - node.last_beat_in)};
  }

 private:
  std::unique_ptr<VerilatedContext> context_;
  std::uint32_t sequence_ = 0;

 public:
  TbiNode node;
};

}  // namespace

TEST_CASE("BarrierTiming: a gate, and a signal to the next, take what they take in Verilog") {
  const tofu::BarrierTiming timing;
  for (const auto operation : {model::GateOperation::Barrier, model::GateOperation::Fsum}) {
    Chain one(1), two(2), five(5);
    const std::int64_t gate = one.through(operation);
    const std::int64_t local = two.through(operation) - gate;
    INFO("gate " << gate << ", local " << local << " cycles");
    CHECK(one.through(operation) == gate);  // the other bank
    CHECK(five.through(operation) == gate + 4 * local);
    CHECK(gate == timing.gate);
    CHECK(local == timing.local);
    const auto [start, result] = one.ends(operation);
    CHECK(one.ends(operation) == std::pair(start, result));
    CHECK(start == timing.start);
    CHECK(result == timing.result);
  }
}

TEST_CASE("Verilated gates take the time of the latency model, for every pattern") {
  for (const tofu::Algorithm algorithm : tofu::algorithms) {
    for (const int n : {2, 3, 4, 7, 8, 12, 24}) {
      const tofu::Shape shape = tofu::Shape::for_nodes(n);
      std::vector<tofu::Coordinates> places;
      for (int i = 0; i < n; ++i) places.push_back(shape.place(i));
      auto machine = make_timed_machine(shape, {});
      Picoseconds barrier_start = 0, barrier_end = 0, sum_start = 0, sum_end = 0;
      machine->run([&](int rank, host::HardwarePort& port) {
        if (rank >= n) return;
        tofu::BarrierOptions free_of_charge;
        free_of_charge.start_cost = free_of_charge.poll_cost = 0;
        tofu::BarrierInterface interface(port, "node", free_of_charge);
        tofu::GateCollectives::Options options;
        options.algorithm = algorithm;
        tofu::GateCollectives gates(interface, places, rank, options);
        // All nodes write START in the same cycle; the first operation tells where results go.
        const auto at = [&](Picoseconds when) {
          REQUIRE(port.now() < when);
          port.advance(when - port.now());
        };
        at(20'000'000);
        gates.barrier();
        at(60'000'000);
        interface.start(1, tofu::GateOperation::Barrier);
        barrier_start = port.now();
        CHECK(interface.wait(1).good());
        barrier_end = std::max(barrier_end, port.now());
        at(100'000'000);
        gates.start_sum(1.0);
        sum_start = port.now();
        CHECK(gates.finish_sum() == n);
        sum_end = std::max(sum_end, port.now());
      });
      INFO(tofu::text(algorithm) << ", " << n << " nodes");
      CHECK(as_the_model(algorithm, n, (barrier_end - barrier_start) / 3'200,
                         tofu::BarrierTiming::barrier()));
      CHECK(as_the_model(algorithm, n, (sum_end - sum_start) / 3'200, {}));
    }
  }
}
