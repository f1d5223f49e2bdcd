// SPDX-License-Identifier: Apache-2.0
// Links, interfaces and router inputs that the simulator leaves alone are as they would have been:
// a run with every cycle of every part evaluated has the same calls, bytes, counters and end.
#include <catch2/catch.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "sim/tofu/machine.hpp"
#include "sw/qmp/node.hpp"
#include "sw/tofu/network_interface.hpp"
#include "sw/tofu/registers.hpp"
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
  r.end = m.kernel().now();
  for (int n = 0; n < m.size(); ++n) r.left_out += m.node(n).part_edges_left_out();
  return r;
}

}  // namespace

TEST_CASE("Tofu: parts that are left alone are as they would have been, whatever comes when") {
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    INFO("seed " << seed);
    machine::TofuMachineOptions options;
    options.shape =
        seed % 2 == 0 ? tofu::Shape{{2, 1, 1, 1, 1, 2}} : tofu::Shape{{1, 1, 1, 1, 3, 1}};
    options.kernel.threads = 1;
    options.seed = seed;
    options.errors.bit_error_rate = seed % 3 == 0 ? 0 : 3e-6;
    options.random_phases = true;
    options.random_state = seed % 2 == 0;
    options.cable_spread = seed > 2 ? 200'000 : 0;
    options.node.memory_spread = seed > 2 ? 50'000 : 0;
    options.node.memory_stalls = seed > 3 ? 64 : 0;
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

TEST_CASE(
    "Tofu: an interface that waits for an answer in vain sees its time limit, at rest or not") {
  // No node is there: the router drops the command. Started at any place of the time limit's
  // period.
  const auto wait_in_vain = [](bool rests, Picoseconds start) {
    machine::TofuMachineOptions options;
    options.shape = tofu::Shape{{2, 1, 1, 1, 1, 1}, {true, true, true}};
    options.messages = false;
    options.kernel.threads = 1;
    options.node.skip_idle = rests;
    machine::TofuMachine m(options);
    Picoseconds end = 0;
    m.run([&](tofu::Transport& t) {
      if (t.place().node != 0) return;
      auto& port = t.port();
      tofu::NetworkInterface interface(port, "node 0", 0);
      interface.enable();
      interface.open(0);
      port.write_register(tofu::registers::tni::time_limit(0), 6);  // 13.1 us
      port.advance(start);
      tofu::Descriptor put;
      put.command = tofu::TniCommand::PutImmediate;
      put.remote.node = {5, 0, 0, 0, 0, 0};
      put.length = 8;
      interface.submit(0, put);
      interface.ring(0);
      std::optional<tofu::Completion> completion;
      // The node is kept from sleeping, so that the interface rests by itself.
      while (!(completion = interface.take_completion(0)))
        port.read_register(tofu::registers::link::status(9));
      CHECK(completion->cause == tofu::TniCause::Timeout);
      end = port.now();
    });
    return end;
  };
  for (const Picoseconds start : {1, 4'000'000, 9'500'000}) {
    INFO("after " << start << " ps");
    CHECK(wait_in_vain(true, start) == wait_in_vain(false, start));
  }
}
