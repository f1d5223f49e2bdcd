// SPDX-License-Identifier: Apache-2.0
// Waves of a QCDOC node: the save file fits the wave file, and what is on the wire has names.
#include <catch2/catch.hpp>
#include <map>

#include "tests/cli/wave_file.hpp"
#include "tests/qcdoc/machine/exchange.hpp"
#include "tests/support/scratch_folder.hpp"

using namespace ht;
using test::ScratchFolder;
using test::WaveFile;

namespace {

machine::QcdocMachineOptions pair() {
  machine::QcdocMachineOptions o;
  o.shape = {2};
  o.kernel.threads = 1;
  return o;
}

// Traces node 1 while messages go back and forth.
void run_traced(const machine::QcdocMachineOptions& options, const machine::TraceOptions& trace,
                std::size_t words) {
  machine::QcdocMachine m(options);
  m.node(1).trace(trace);
  test::Exchange seen[2];
  m.run([&](qcdoc::Driver& d) { test::exchange(d, words, 1, seen[d.rank()]); });
}

}  // namespace

TEST_CASE("QCDOC waves: every signal of the save file is in the wave file, whatever the scope") {
  for (const std::vector<int>& links : {std::vector<int>{}, {0, 11}}) {
    for (const int depth : {0, 1, 4}) {
      const ScratchFolder folder;
      machine::TraceOptions trace;
      trace.stem = folder.file("w");
      trace.links = links;
      trace.depth = depth;
      trace.to = 1'000'000;
      run_traced(pair(), trace, 2);
      const auto names = test::names_checked(folder.file("w.node1"));
      CHECK(names.count("node1.mv.state[1:0]") == 1);
      CHECK(names.count("node1.px.tx_kind[3:0]") == 1);
      CHECK(names.count("node1.py.tx_kind[3:0]") == (links.empty() ? 1 : 0));
      CHECK(names.count("node1.qcdoc_scu.g_link[0].link.obs_idle") == (depth == 1 ? 0 : 1));
    }
  }
}

TEST_CASE("QCDOC waves show kinds of bytes and states of links by name") {
  const ScratchFolder folder;
  auto options = pair();
  options.faults.resize(24);
  // What comes in on -x of node 1 is what node 0 sends on +x.
  options.faults[0].bit_error_rate = 2e-3;
  options.node.byte_phase = 5;
  machine::TraceOptions trace;
  trace.stem = folder.file("w");
  run_traced(options, trace, 100);
  const WaveFile wave(folder.file("w.node1.fst"));
  const auto states = wave.enumeration("node1.mx.state[1:0]");
  const auto kinds = wave.enumeration("node1.mx.rx_kind[3:0]");
  REQUIRE(states.size() == 3);
  REQUIRE(kinds.size() == 13);
  const auto seen = wave.named_values("node1.mx.state[1:0]");
  REQUIRE(seen.size() >= 3);
  CHECK(seen[0] == "DOWN");
  CHECK(seen[1] == "TRAIN");
  CHECK(seen[2] == "UP");
  // Sent by a node that saw errors, and asked for what it missed.
  auto sent = wave.named_counts("node1.mx.tx_kind[3:0]");
  for (const char* kind : {"DATA", "PAYLOAD", "MARK", "RECORD", "TRAINING"}) {
    INFO(kind);
    CHECK(sent[kind] > 0);
  }
  CHECK(sent["DAMAGED"] == 0);
  CHECK(wave.named_counts("node1.mx.rx_kind[3:0]")["DAMAGED"] > 0);
  // A damaged byte is what the hardware objects to, at the same edge.
  std::vector<std::uint64_t> damaged, objected;
  for (const auto& c : wave.changes("node1.mx.rx_kind[3:0]"))
    if (kinds.at(c.value) == "DAMAGED") damaged.push_back(c.time);
  for (const auto& c : wave.changes("node1.qcdoc_scu.g_link[1].link.obs_rx_error"))
    if (c.value == 1) objected.push_back(c.time);
  CHECK(damaged == objected);
  // The other direction is as good as new.
  CHECK(wave.named_counts("node1.px.rx_kind[3:0]")["DAMAGED"] == 0);
}
