// SPDX-License-Identifier: Apache-2.0
// Time on the machine without hardware: what a program measures is what the latency model says.
#include "sw/tofu/functional/functional_tofu.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

#include "sw/host/errors.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "tests/tofu/sw/gate_machine.hpp"

using namespace ht;
using namespace ht::tofu;

namespace {

/// From a common start until the last rank has the result, in cycles.
std::int64_t measure(Algorithm algorithm, int ranks, bool sum) {
  const Shape shape = Shape::for_nodes(ranks);
  FunctionalTofu machine(shape);
  Picoseconds start = 0, end = 0;
  machine.run([&](int rank, host::HardwarePort& port) {
    if (rank >= ranks) return;
    BarrierOptions free_of_charge;
    free_of_charge.start_cost = free_of_charge.poll_cost = 0;
    BarrierInterface interface(port, "node", free_of_charge);
    GateCollectives::Options options;
    options.algorithm = algorithm;
    GateCollectives gates(interface, shape.first_places(ranks), rank, options);
    for (const Picoseconds when : {Picoseconds{1'000'000'000}, Picoseconds{2'000'000'000}}) {
      port.advance(when - port.now());
      // The same register accesses on all nodes: START is the last of them.
      const Picoseconds accesses = sum ? 3 : 1;
      start = when + accesses * FunctionalTofuOptions{}.register_cost;
      end = 0;
      if (sum)
        CHECK(gates.sum(1.0) == ranks);
      else
        gates.barrier();
      end = std::max(end, port.now());
    }
  });
  CHECK((end - start) % 3'200 == 0);
  return (end - start) / 3'200;
}

}  // namespace

TEST_CASE("Gates without hardware take the time of the latency model") {
  for (const Algorithm algorithm : algorithms) {
    for (int n = 2; n <= 64; n += n < 20 ? 1 : 11) {
      INFO(text(algorithm) << ", " << n << " nodes");
      CHECK(test::as_the_model(algorithm, n, measure(algorithm, n, true), {}));
      CHECK(
          test::as_the_model(algorithm, n, measure(algorithm, n, false), BarrierTiming::barrier()));
    }
  }
}

TEST_CASE("Gates without hardware: whoever polled before, waiting is not in vain as packets come") {
  const Shape pair{{2, 1, 1, 1, 1, 1}, {}};
  FunctionalTofuOptions options;
  REQUIRE(options.processor_timeout == 0);  // which is as long as one likes
  options.processor_timeout = 60;
  for (int polls = 0; polls < 100; ++polls) {
    INFO(polls << " polls");
    FunctionalTofu machine(pair, options);
    machine.run([&](int rank, host::HardwarePort& port) {
      BarrierInterface interface(port, "node");
      GateCollectives gates(interface, pair.first_places(2), rank, {});
      for (int i = 0; i < (rank == 0 ? 0 : polls); ++i)
        (void)port.read_register(registers::tbi::error + 0x1000);
      gates.barrier();
    });
  }
}

TEST_CASE("Gates without hardware: a node that waits for nobody is named") {
  FunctionalTofu machine(Shape{{2, 1, 1, 1, 1, 1}, {}});
  CHECK_THROWS_WITH(machine.run([&](int rank, host::HardwarePort& port) {
    BarrierInterface interface(port, "node");
    GateCollectives gates(interface, machine.shape().first_places(2), rank);
    if (rank == 1) gates.barrier();
  }),
                    Catch::Contains("node 1 waits for barrier gates"));
  CHECK_THROWS_AS(machine.run([&](int, host::HardwarePort& port) { port.read_register(7); }),
                  HardwareError);
  CHECK_THROWS_AS(machine.run([&](int, host::HardwarePort& port) { port.write_register(7, 1); }),
                  HardwareError);
}
