// SPDX-License-Identifier: Apache-2.0
// Collective operations by barrier gates, as a message-passing library uses them.
#include "sw/tofu/gates/gate_collectives.hpp"

#include <bit>
#include <catch2/catch.hpp>
#include <cstring>

#include "sw/host/errors.hpp"
#include "tests/tofu/sw/gate_programs.hpp"
#include "verif/model/common/order_independent_sum.hpp"

using namespace ht::test;
using namespace ht::tofu;

namespace {

/// Runs a program on every node over a pattern.
void run(const Shape& shape, GateCollectives::Options options,
         const std::function<void(int rank, GateCollectives&)>& program) {
  auto machine = make_machine(shape, 17);
  Meeting meeting(shape.nodes());
  machine->run([&](int rank, ht::host::HardwarePort& port) {
    BarrierInterface interface(port, "node " + std::to_string(rank));
    GateCollectives gates(interface, shape.first_places(shape.nodes()), rank, options);
    meeting.join(port);
    program(rank, gates);
    meeting.join(port);
    gates.release();
  });
}

}  // namespace

TEST_CASE("Collectives by gates: barrier, broadcast, reduction, sums of states on every pattern") {
  for (const Algorithm algorithm : algorithms) {
    for (const Shape& shape :
         {Shape{{1, 1, 1, 1, 1, 1}, {}}, Shape{{1, 1, 1, 2, 1, 1}, {}},
          Shape{{1, 1, 1, 2, 3, 2}, {}}, Shape{{3, 1, 1, 1, 3, 2}, {true, true, true}}}) {
      const int n = shape.nodes();
      INFO(text(algorithm) << ", " << n << " nodes");
      int entered = 0;
      // Several numbers a node, as sites of a lattice: the state of all of them does not depend on
      // how they are dealt out.
      const std::vector<double> numbers = awkward_numbers(36, 3);
      ht::model::OrderIndependentSum exact;
      exact.add(numbers);
      run(shape, {.algorithm = algorithm}, [&](int rank, GateCollectives& gates) {
        const auto u = static_cast<std::uint64_t>(rank);
        ++entered;
        gates.barrier();
        CHECK(entered == n);
        CHECK(gates.reduce(GateOperation::Max, u) == static_cast<std::uint64_t>(n - 1));
        CHECK(gates.all(true));
        CHECK(gates.all(rank != n / 2) == false);
        CHECK(gates.any(false) == false);
        CHECK(gates.any(rank == n - 1));
        CHECK(gates.sum(-0.0) == 0.0);
        CHECK_FALSE(std::signbit(gates.sum(-0.0)));
        CHECK(gates.sum(1.5) == 1.5 * n);

        ht::model::OrderIndependentSum mine;
        for (std::size_t i = u; i < numbers.size(); i += static_cast<std::size_t>(n))
          mine.add(numbers[i]);
        StateBytes state = mine.to_bytes();
        gates.sum(state);
        CHECK(state == exact.to_bytes());

        for (const int root : {0, n / 2, n - 1}) {
          for (const std::size_t bytes :
               {std::size_t{1}, std::size_t{40}, std::size_t{41}, std::size_t{200}}) {
            std::vector<unsigned char> sent(bytes), got(bytes + 1, 0xee);
            for (std::size_t i = 0; i < bytes; ++i)
              sent[i] = static_cast<unsigned char>(i * 7 + static_cast<std::size_t>(root));
            if (rank == root) std::memcpy(got.data(), sent.data(), bytes);
            gates.broadcast(root, got.data(), bytes);
            CHECK(std::memcmp(got.data(), sent.data(), bytes) == 0);
            CHECK(got[bytes] == 0xee);
          }
        }
      });
    }
  }
}

TEST_CASE("Collectives by gates: two nodes that broadcast, and nodes in different operations") {
  const Shape shape{{1, 1, 1, 2, 3, 1}, {}};
  run(shape, {}, [&](int rank, GateCollectives& gates) {
    std::uint64_t word = 5;
    // Everybody thinks itself, or rank 1, the root.
    CHECK_THROWS_WITH(gates.broadcast(rank % 2, &word, sizeof word),
                      Catch::Contains("two nodes gave a datum"));
    if (rank == 3)
      CHECK_THROWS_WITH(gates.barrier(), Catch::Contains("different operations"));
    else
      CHECK_THROWS_WITH(gates.sum(1.0), Catch::Contains("different operations"));
    CHECK(gates.sum(1.0) == 6.0);
    CHECK_THROWS_AS(gates.broadcast(6, &word, sizeof word), ht::UsageError);
  });
}

TEST_CASE("Collectives by gates: too few gates, and the driver's refusals") {
  const Shape shape{{2, 1, 1, 1, 1, 1}, {}};
  run(shape, {}, [&](int rank, GateCollectives&) {
    if (rank != 0) return;
    auto machine = make_machine(shape, 1);
    BarrierInterface gates(machine->port(0), "node 0");
    const auto refused = [&](GateCollectives::Options options) {
      CHECK_THROWS_AS(GateCollectives(gates, shape.first_places(shape.nodes()), 0, options),
                      ht::UsageError);
    };
    refused({.first_gate = 64});
    refused({.first_gate = 7});
    refused({.channel = 8});
    CHECK_THROWS_AS(GateCollectives(gates, shape.first_places(shape.nodes()), 2), ht::UsageError);
    CHECK_THROWS_AS(gates.wire(64, {}), ht::UsageError);
    CHECK_THROWS_AS(gates.start(1, GateOperation::Barrier), ht::UsageError);
    CHECK_THROWS_AS(gates.start(8, GateOperation::Barrier), ht::UsageError);
    CHECK_THROWS_AS(gates.poll(1), ht::UsageError);
  });
}

TEST_CASE("The driver tells what the hardware refuses") {
  const Shape shape{{2, 1, 1, 1, 1, 1}, {}};
  auto machine = make_machine(shape, 1);
  machine->run([&](int rank, ht::host::HardwarePort& port) {
    if (rank != 0) return;
    BarrierInterface gates(port, "node 0");
    GateSetting itself;
    itself.channel = 2;
    itself.local_source = itself.local_destination = 9;
    CHECK_THROWS_WITH(gates.wire(9, itself),
                      Catch::Contains("node 0: gate 9") && Catch::Contains("wired to itself"));
    GateSetting nothing;
    nothing.channel = 2;
    CHECK_THROWS_WITH(gates.wire(10, nothing), Catch::Contains("without inputs"));
    CHECK(gates.take_errors() == 0);

    GateSetting start;
    start.channel = 2;
    start.destination = start.source = GatePlace{Coordinates{{1, 0, 0, 0, 0, 0}}, 2};
    gates.wire(2, start);
    // A state with its lanes the wrong way round is none.
    StateBytes state{};
    state[19] = std::byte{0};
    state[39] = std::byte{3};
    CHECK_THROWS_WITH(gates.start_state(2, GateOperation::Fsum, state),
                      Catch::Contains("node 0: barrier channel 2") &&
                          Catch::Contains("lanes are in the wrong order"));
    CHECK_FALSE(gates.busy(2));
    // Nobody answers: given up, and wired anew.
    gates.start(2, GateOperation::Barrier);
    CHECK_FALSE(gates.poll(2));
    CHECK_THROWS_AS(gates.start(2, GateOperation::Barrier), ht::UsageError);
    gates.reset(2);
    gates.wire(2, start);
    gates.start(2, GateOperation::Barrier);
    CHECK(gates.busy(2));
  });
}
