// SPDX-License-Identifier: Apache-2.0
// Links, interfaces and router inputs that the simulator leaves alone are as they would have been:
// a run with every cycle of every part evaluated has the same calls, bytes, counters and end.
#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "sim/tofu/machine.hpp"
#include "sw/qmp/node.hpp"
#include "tests/tofu/sw/random_calls.hpp"

using namespace ht;

namespace {

struct Run {
  std::vector<std::vector<std::string>> calls;  // by rank, with memory and times
  std::vector<std::tuple<int, int, tofu::LinkCounters, tofu::LinkCounters>> links;
  std::uint64_t injected = 0, cycles = 0, skipped = 0, left_out = 0;
  Picoseconds end = 0;
};

Run run(machine::TofuMachineOptions options, bool rests) {
  options.node.skip_idle = rests;
  options.kernel.jump = rests;
  machine::TofuMachine m(options);
  Run r;
  r.calls.resize(static_cast<std::size_t>(m.size()));
  test::RandomCallsBoard board(m.size());
  const auto seed = static_cast<unsigned>(options.seed);
  m.run_everywhere([&](qmp::Transport& transport, int) {
    const qmp::Node node(transport);
    const auto interface = m.open_interface(transport);
    auto& calls = r.calls[static_cast<std::size_t>(transport.rank())];
    calls = test::random_calls(transport, board, seed, 2);
    calls.push_back(std::to_string(transport.runtime().now()));
  });
  for (const auto& link : m.read_links())
    r.links.emplace_back(link.from, link.link, link.sender, link.receiver);
  const sim::ErrorTotals errors = m.close_ledgers();
  CHECK(errors.undetected == 0);
  r.injected = errors.injected;
  const auto statistics = m.statistics();
  r.cycles = statistics.cycles.total;
  r.skipped = statistics.cycles.skipped;
  r.end = m.now();
  for (int n = 0; n < m.size(); ++n) r.left_out += m.node(n).part_edges_left_out();
  return r;
}

}  // namespace

TEST_CASE("Tofu: parts that are left alone are as they would have been, whatever comes when") {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    INFO("seed " << seed);
    machine::TofuMachineOptions options;
    options.shape =
        seed % 2 == 0 ? tofu::Shape{{2, 1, 1, 1, 1, 2}} : tofu::Shape{{1, 1, 1, 1, 3, 1}};
    options.kernel.threads = 1;
    options.seed = seed;
    options.errors.bit_error_rate = seed % 3 == 0 ? 0 : 3e-6;
    options.random_phases = true;
    options.random_state = seed % 2 == 0;
    options.cable_spread = seed > 3 ? 200'000 : 0;
    options.node.memory_spread = seed > 3 ? 50'000 : 0;
    options.node.memory_stalls = seed > 4 ? 64 : 0;
    const Run rests = run(options, true), steps = run(options, false);
    CHECK(rests.calls == steps.calls);
    CHECK(rests.links == steps.links);
    CHECK(rests.injected == steps.injected);
    CHECK((rests.injected > 0) == (options.errors.bit_error_rate > 0));
    CHECK(rests.end == steps.end);
    CHECK(rests.cycles == steps.cycles);
    // Ten of a node's thirty parts at least.
    CHECK(rests.left_out > 10 * (rests.cycles - rests.skipped));
    CHECK(steps.left_out == 0);
    CHECK(steps.skipped == 0);
  }
}
