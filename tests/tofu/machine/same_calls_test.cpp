// SPDX-License-Identifier: Apache-2.0
// Random uTofu programs on the functional network and on Verilated controllers: every call returns
// and refuses the same, every notice and every byte of memory is the same.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/tofu/machine.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/functional/functional_job.hpp"
#include "tests/tofu/sw/random_calls.hpp"

using namespace ht;

namespace {

using Logs = std::vector<std::vector<std::string>>;
constexpr int rounds = 3;

Logs over_models(const tofu::Shape& shape, unsigned seed) {
  Logs logs(static_cast<std::size_t>(shape.nodes()));
  test::RandomCallsBoard board(shape.nodes());
  tofu::FunctionalJob job(shape, tofu::RankLayout::straight(shape));
  job.run([&](qmp::Transport& transport) {
    logs[static_cast<std::size_t>(transport.rank())] =
        test::random_calls(transport, board, seed, rounds);
    return 0;
  });
  return logs;
}

Logs over_hardware(const tofu::Shape& shape, unsigned seed) {
  Logs logs(static_cast<std::size_t>(shape.nodes()));
  test::RandomCallsBoard board(shape.nodes());
  machine::TofuMachineOptions options;
  options.shape = shape;
  options.kernel.threads = 1;
  options.seed = seed;
  options.errors.bit_error_rate = 1e-6;
  machine::TofuMachine machine(options);
  machine.run_everywhere([&](qmp::Transport& transport, int) {
    const qmp::Node node(transport);
    const auto interface = machine.open_interface(transport);
    logs[static_cast<std::size_t>(transport.rank())] =
        test::random_calls(transport, board, seed, rounds);
  });
  return logs;
}

}  // namespace

TEST_CASE("random uTofu programs: call by call the same without hardware and with it") {
  const unsigned seed = GENERATE(1U, 2U, 3U, 4U);
  const tofu::Shape shape =
      seed % 2 == 0 ? tofu::Shape{{2, 1, 1, 1, 1, 2}} : tofu::Shape{{1, 1, 1, 1, 3, 1}};
  const Logs without = over_models(shape, seed), with = over_hardware(shape, seed);
  for (std::size_t node = 0; node < without.size(); ++node) {
    REQUIRE(without[node].size() > 100);
    for (std::size_t i = 0; i < std::min(without[node].size(), with[node].size()); ++i) {
      INFO("seed " << seed << ", node " << node << ", line " << i);
      REQUIRE(without[node][i] == with[node][i]);
    }
    CHECK(without[node].size() == with[node].size());
  }
}
