// SPDX-License-Identifier: Apache-2.0
// Waves of a Tofu node: the save file fits the wave file, and what is on the wire has names.
#include <catch2/catch.hpp>
#include <map>

#include "sim/tofu/machine.hpp"
#include "sw/tofu/gates/gate_collectives.hpp"
#include "tests/cli/wave_file.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace ht;
using test::ScratchFolder;
using test::WaveFile;

namespace {

// Traces node 1 of two, along A, while they sum.
void run_traced(const machine::TraceOptions& trace, const sim::FaultPlan& faults) {
  machine::TofuMachineOptions options;
  options.shape = {{1, 1, 1, 2, 1, 1}, {true, true, true}};
  options.messages = false;
  options.kernel.threads = 1;
  options.faults.resize(20);
  options.faults[6] = faults;  // what node 0 sends
  machine::TofuMachine m(options);
  m.node(1).trace(trace);
  m.run([](tofu::Transport& t) {
    tofu::Icc& icc = t.icc();
    tofu::GateCollectives all(icc.barrier(), icc.place().machine.first_places(2), icc.place().node);
    icc.port().advance(20'000'000 - icc.port().now());
    for (int i = 0; i < 40; ++i) all.sum(i);
  });
}

}  // namespace

TEST_CASE("Tofu waves: every signal of the save file is in the wave file, whatever the scope") {
  for (const std::vector<int>& links : {std::vector<int>{}, {6, 8}}) {
    for (const int depth : {0, 1, 4}) {
      const ScratchFolder folder;
      machine::TraceOptions trace;
      trace.stem = folder.file("w");
      trace.links = links;
      trace.depth = depth;
      trace.to = 1'000'000;
      run_traced(trace, {});
      const auto names = test::names_checked(folder.file("w.node1"));
      CHECK(names.count("node1.A.state[1:0]") == 1);
      CHECK(names.count("node1.Bm.tx_kind[3:0]") == 1);
      CHECK(names.count("node1.Xp.tx_kind[3:0]") == (links.empty() ? 1 : 0));
      CHECK(names.count("node1.tofu_icc.g_link[6].link.obs_idle") == (depth == 1 ? 0 : 1));
    }
  }
}

TEST_CASE("Tofu waves show kinds of beats and states of links by name") {
  const ScratchFolder folder;
  machine::TraceOptions trace;
  trace.stem = folder.file("w");
  sim::FaultPlan faults;
  // An inverted bit in the second beat of a packet is a header with a wrong CRC, or no data.
  for (int i = 0; i < 5; ++i)
    faults.aimed.push_back({21'000'000 + i * 1'000'000, sim::Target::Packet, 1, {{2, 5}}});
  run_traced(trace, faults);
  const WaveFile wave(folder.file("w.node1.fst"));
  const auto states = wave.enumeration("node1.A.state[1:0]");
  const auto kinds = wave.enumeration("node1.A.rx_kind[3:0]");
  REQUIRE(states.size() == 3);
  REQUIRE(kinds.size() == 15);
  const auto seen = wave.named_values("node1.A.state[1:0]");
  REQUIRE(seen.size() >= 3);
  CHECK(seen[0] == "DOWN");
  CHECK(seen[1] == "TRAIN");
  CHECK(seen[2] == "UP");
  auto sent = wave.named_counts("node1.A.tx_kind[3:0]"),
       received = wave.named_counts("node1.A.rx_kind[3:0]");
  CHECK(sent["GATE"] >= 40);
  for (const char* kind : {"HEADER", "PAYLOAD", "END", "CONTROL", "HELLO"}) {
    INFO(kind);
    CHECK(sent[kind] > 0);
    CHECK(received[kind] > 0);
  }
  CHECK(received["GATE"] > sent["GATE"]);  // some came again
  CHECK(sent["PUT"] == 0);
  // The hardware objects to what was damaged.
  int objections = 0;
  for (const auto& c : wave.changes("node1.tofu_icc.g_link[6].link.obs_rx_error"))
    objections += c.value == 1 ? 1 : 0;
  CHECK(objections >= 1);
}
