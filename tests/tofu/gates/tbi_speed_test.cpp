// SPDX-License-Identifier: Apache-2.0
// How long things take.
#include <catch2/catch.hpp>

#include "tests/tofu/gates/tbi_one.hpp"
#include "tests/tofu/model/gate_operations.hpp"

using ht::model::GateForm;
using ht::model::GateOperation;
using ht::test::kDone;
using ht::test::OneTbi;
using ht::test::some_nodes;
using ht::test::TbiNet;

TEST_CASE("tbi: ten cycles from the last beat in to the first beat out of a gate") {
  for (const auto operation : {GateOperation::Barrier, GateOperation::Sum, GateOperation::Fsum}) {
    OneTbi x;
    const bool data = operation != GateOperation::Barrier;
    auto packet = x.packet(operation, 0);
    x.net.start(0, 1, operation,
                !data                             ? GateForm::None
                : operation == GateOperation::Sum ? GateForm::Word
                                                  : GateForm::Double,
                {5});
    REQUIRE(x.net.run_until([&] { return x.node().accesses.empty(); }, 200));
    x.net.run(50);
    x.node().arrive(packet);
    REQUIRE(x.settle());
    const auto cycles = x.node().first_beat_out - x.node().last_beat_in;
    CHECK(cycles == 8);
    CHECK(cycles <= 10);  // tofu.gate_cycles
  }
}

TEST_CASE("tbi: operations of different channels overlap") {
  const auto coordinates = some_nodes(8);
  const auto time = [&](unsigned channels) {
    TbiNet net(coordinates, 3);
    net.longest_way = 1;
    for (unsigned c = 0; c < channels; ++c)
      net.wire(
          ht::test::recursive_doubling({coordinates, static_cast<std::uint8_t>(c), 3, 8 + 4 * c}));
    for (std::size_t i = 0; i < 8; ++i) {
      for (unsigned c = 0; c < channels; ++c) net.start(i, c, GateOperation::Barrier);
    }
    const auto begin = net.cycle;
    REQUIRE(net.run_until([&] { return net.quiet(); }, 5000));
    const auto cycles = net.cycle - begin;
    for (std::size_t i = 0; i < 8; ++i) {
      for (unsigned c = 0; c < channels; ++c) CHECK((net.status(i, c) & 3U) == kDone);
    }
    return cycles;
  };
  const auto one = time(1), eight = time(8);
  INFO("one channel " << one << " cycles, eight " << eight);
  // One after the other they would take eight times as long; the starts alone take eight each.
  CHECK(eight < 4 * one);
  CHECK(eight < one + 7 * 9 + 30);
}

TEST_CASE("tbi: cycles in which nothing happens may be left out") {
  const auto coordinates = some_nodes(5);
  const auto history = [&](bool skip, std::uint64_t& skipped) {
    TbiNet net(coordinates, 7);
    for (auto& node : net.nodes) node->skip_idle = skip;
    net.wire(ht::test::binary_tree({coordinates}));
    std::mt19937_64 r(1);
    std::vector<std::uint64_t> seen;
    for (int k = 0; k < 20; ++k) {
      const auto job = ht::test::random_job(5, r);
      for (std::size_t i = 0; i < 5; ++i) {
        net.run(r() % 50);
        net.start(i, 1, job.operation, job.forms[i], job.operands[i]);
      }
      REQUIRE(net.run_until([&] { return net.quiet(); }, 3000));
      seen.push_back(net.cycle);
      for (std::size_t i = 0; i < 5; ++i) {
        REQUIRE(net.result(i, 1) == job.expected);
        seen.push_back(net.nodes[i]->first_beat_out);
      }
    }
    for (const auto& node : net.nodes) skipped += node->skips;
    return seen;
  };
  std::uint64_t none = 0, many = 0;
  CHECK(history(false, none) == history(true, many));
  CHECK(none == 0);
  CHECK(many > 1000);
}
