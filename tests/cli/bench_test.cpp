// SPDX-License-Identifier: Apache-2.0
// bench qpace, bench qcdoc and bench tofu reach what they are meant to. All of it is simulated
// time: nothing here depends on the computer.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "tests/cli/program.hpp"

using ht::test::content_of;
using ht::test::Outcome;
using ht::test::run_program;
using ht::test::ScratchFolder;
using ht::test::skipped_without_mpi;
using Json = nlohmann::json;

namespace {

using Rows = std::map<std::string, Json>;

// Rows by id, each with all five keys.
Rows rows_of(const std::string& file) {
  Rows rows;
  const Json document = Json::parse(std::ifstream(file));
  for (const Json& row : document["rows"]) {
    INFO(row);
    CHECK(row.size() == 5);
    CHECK(row["value"].is_number());
    CHECK(row["unit"].is_string());
    CHECK((row["paper"].is_null() || row["paper"].is_number()));
    CHECK((row["limit"].is_null() || row["limit"].is_number()));
    CHECK(rows.emplace(row["id"], row).second);
  }
  return rows;
}

bool have_gnuplot() {
  return std::system("gnuplot --version > /dev/null 2>&1") == 0;
}

// Runs a machine's quick bench, with figures in `folder` whose names begin with `figure` if there
// is a gnuplot.
Rows quick_bench(const std::string& machine, const ScratchFolder& folder, const std::string& figure,
                 const std::vector<std::string>& more = {}) {
  const std::string file = folder.file(machine + ".json");
  std::vector<std::string> arguments{"bench", machine, "--quick", "--json", file};
  arguments.insert(arguments.end(), more.begin(), more.end());
  if (have_gnuplot()) arguments.insert(arguments.end(), {"--plot", folder.file(figure)});
  const Outcome outcome = run_program(arguments);
  INFO(outcome.out << outcome.err);
  REQUIRE(outcome.code == 0);
  return rows_of(file);
}

double value_of(const Rows& rows, const std::string& id) {
  INFO(id);
  REQUIRE(rows.count(id) == 1);
  return rows.at(id)["value"].get<double>();
}

bool is_file(const std::string& name, const std::string& begin) {
  std::ifstream in(name, std::ios::binary);
  std::string head(begin.size(), ' ');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head == begin;
}

}  // namespace

TEST_CASE("bench qpace reaches the aims, and draws") {
  const ScratchFolder folder;
  std::ofstream(folder.file("cells.json"))
      << R"([{"id": "qpace.luts6", "value": 9999, "unit": "luts", "paper": 14252, "limit": null}])";
  Rows rows = quick_bench("qpace", folder, "it's", {"--cells", folder.file("cells.json")});
  const auto value = [&](const std::string& id) { return value_of(rows, id); };

  // 34 cycles of serialisation, 4 to the wire, 19 to check, cross over, choose and write.
  CHECK(value("qpace.fifo_to_dma_cycles") == 57);
  CHECK(rows["qpace.fifo_to_dma_cycles"]["paper"] == 125);
  CHECK(value("qpace.fifo_to_dma_phys_us") <= 0.5);
  // At most the FIFO to DMA time, the cable, a beat to notify, and a core cycle until it is seen
  // and one until the answer begins; at least what is left of that with the best phases.
  CHECK(value("qpace.pingpong_us") <= (57 * 4 + 250 + 8 * 4.8) * 1e-3);
  CHECK(value("qpace.pingpong_us") > (34 * 4 + 250) * 1e-3);
  CHECK(value("qpace.pingpong_host_path_us") ==
        Approx(value("qpace.pingpong_us") + 2.5).margin(5e-3));
  CHECK(value("qpace.pingpong_driver_us") <= 0.6);
  CHECK(value("qpace.payload_bidir_gbs") >= 0.93);
  // One command of one word in three packets at the least.
  CHECK(value("qpace.payload_bidir_gbs") <= 128 / (136 + 4 / 3.0) + 1e-3);
  CHECK(value("qpace.six_links_gbs") == Approx(16 / 4.8).epsilon(1e-9));
  CHECK(value("qpace.goodput_ber1e-6_gbs") >= 0.92);
  CHECK(value("qpace.goodput_ber1e-5_gbs") >= 0.85);
  // Few errors happened in the short run: its mean strays by a few parts in a hundred.
  for (const std::string id : {"qpace.goodput_ber1e-6_gbs", "qpace.goodput_ber1e-5_gbs"})
    CHECK(value(id) == Approx(rows[id]["limit"].get<double>()).epsilon(0.02));
  // A message at a time costs a latency and its time on the wire.
  CHECK(value("qpace.exchange.n1.128_gbs") < value("qpace.exchange.n8.128_gbs") / 7.5);
  CHECK(value("qpace.exchange.n8.16384_gbs") >= 0.93);
  CHECK(value("qpace.exchange_no_host.n8.128_gbs") >= 0.93);

  CHECK(value("qpace.luts6") == 9999);
  CHECK(rows["qpace.luts6"]["paper"] == 14252);

  for (const std::string figure : {"it's.figure6", "it's.goodput"}) {
    if (!have_gnuplot()) break;
    CHECK(is_file(folder.file(figure + ".svg"), "<?xml"));
    CHECK(is_file(folder.file(figure + ".png"), "\x89PNG"));
  }
}

TEST_CASE("bench qcdoc reaches the aims, and draws") {
  const ScratchFolder folder;
  Rows rows = quick_bench("qcdoc", folder, "q");
  const auto value = [&](const std::string& id) { return value_of(rows, id); };

  // Every connection carries 64 of 72 bits.
  CHECK(value("qcdoc.total_gbs") == Approx(24 * 8 / 144.0).epsilon(1e-9));
  CHECK(rows["qcdoc.total_gbs"]["paper"] == 1.3);
  for (const char* slow : {"qcdoc.total_200ns_gbs", "qcdoc.total_400ns_gbs"})
    CHECK(value(slow) == Approx(24 * 8 / 144.0).epsilon(2e-3));
  CHECK(value("qcdoc.mem_to_mem_ns") <= 245);
  CHECK(value("qcdoc.mem_to_mem_ns") > 184);
  // Seven of eight byte phases wait; the receiver's clock adds less than a bit.
  CHECK(value("qcdoc.mem_to_mem_ns") - value("qcdoc.mem_to_mem_best_ns") >= 14);
  CHECK(value("qcdoc.mem_to_mem_ns") - value("qcdoc.mem_to_mem_best_ns") < 16);
  // Memory that is slower by so much adds that, and no byte time: a word goes out at any byte of
  // the sender's, which begins to read it at the same cycle.
  CHECK(value("qcdoc.mem_to_mem_200ns_ns") == Approx(value("qcdoc.mem_to_mem_ns") + 180));
  CHECK(value("qcdoc.mem_to_mem_400ns_ns") == Approx(value("qcdoc.mem_to_mem_ns") + 380));
  for (const int ns : {200, 400}) {
    const double words = value("qcdoc.words24_" + std::to_string(ns) + "ns_us");
    CHECK(std::abs(words - value("qcdoc.words24_us") - (ns - 20) * 1e-3) < 0.016);
  }
  // 23 frames of 144 ns follow the first word, to the picosecond.
  CHECK(value("qcdoc.words24_rest_us") == Approx(3.312).epsilon(1e-12));
  CHECK(value("qcdoc.words24_us") == Approx(3.312 + value("qcdoc.transfer.links1.1_us")));
  CHECK(value("qcdoc.transfer.links12.64_us") ==
        Approx(value("qcdoc.transfer.links12.1_us") + 63 * 0.144));
  CHECK(value("qcdoc.passthrough_best_bits") >= 8);
  CHECK(value("qcdoc.passthrough_best_bits") <= 12);
  CHECK(value("qcdoc.passthrough_bits") <= 16);
  CHECK(value("qcdoc.passthrough_worst_bits") == value("qcdoc.passthrough_best_bits") + 7);
  // Three in flight suffice for 40 ns, whatever the phases.
  CHECK(value("qcdoc.full_rate_cable_ns") >= 40);
  CHECK(value("qcdoc.full_rate_cable_one_way_ns") > value("qcdoc.full_rate_cable_ns"));
  CHECK(value("qcdoc.full_rate_cable_one_way_ns") <= 136);
  // A hop of a broadcast is the cable and the mean of the phases that there are: 10 bits and 9 to
  // 16. One of a sum brings another word each way, a frame behind the one before.
  CHECK(value("qcdoc.broadcast_hop_ns") >= 20 + 2 * 9);
  CHECK(value("qcdoc.broadcast_hop_ns") <= 20 + 2 * 16);
  CHECK(value("qcdoc.sum_hop_ns") >= 144);
  CHECK(value("qcdoc.sum_hop_ns") <= 144 + 20 + 2 * 16);
  for (const std::string operation : {"qcdoc.sum", "qcdoc.broadcast"}) {
    CHECK(value(operation + "_16_us") < value(operation + "_64_us"));
    // 1,024 nodes: five hops and two axes more than 64 nodes have; 12,288: six hops more.
    CHECK(value(operation + "_1024_us") - value(operation + "_64_us") >=
          5e-3 * value(operation + "_hop_ns"));
    CHECK(value(operation + "_12288_us") - value(operation + "_1024_us") ==
          Approx(6e-3 * value(operation + "_hop_ns")));
  }
  // The paper's 40 % calibrate the model, at 450 MHz.
  CHECK(rows["qcdoc.cg.4x4x4x4_percent"]["paper"] == 40);
  CHECK(value("qcdoc.cg.4x4x4x4_percent") == Approx(40).margin(1.5));
  CHECK(value("qcdoc.cg.8x8x8x8_percent") < value("qcdoc.cg.6x6x6x6_percent"));
  // Sixteen Verilated nodes do what the model says, but for the sums, whose states are five words
  // here, for starting messages, and for memory that processor and unit share.
  CHECK(value("qcdoc.cg.2x2x2x2_simulated_percent") < value("qcdoc.cg.2x2x2x2_percent"));
  CHECK(value("qcdoc.cg.2x2x2x2_simulated_percent") > 0.85 * value("qcdoc.cg.2x2x2x2_percent"));

  if (have_gnuplot()) {
    CHECK(is_file(folder.file("q.transfer.svg"), "<?xml"));
    CHECK(is_file(folder.file("q.transfer.png"), "\x89PNG"));
  }
}

TEST_CASE("bench qpace says what it lacks") {
  const ScratchFolder folder;
  const char* path = std::getenv("PATH");
  const std::string before = path == nullptr ? "" : path;
  setenv("PATH", folder.path().c_str(), 1);
  const Outcome missing = run_program({"bench", "qpace", "--plot", folder.file("x")});
  setenv("PATH", before.c_str(), 1);
  CHECK(missing.code == 2);
  CHECK(missing.err.find("gnuplot") != std::string::npos);
  CHECK(missing.err.find("--plot") != std::string::npos);
  std::ofstream(folder.file("bad.json")) << "[{\"id\": \"qpace.luts6\"}]";
  const Outcome bad = run_program({"bench", "qpace", "--cells", folder.file("bad.json")});
  CHECK(bad.code == 3);
  CHECK(bad.err.find("bad.json") != std::string::npos);
  const Outcome unwritable = run_program({"bench", "qpace", "--json", folder.file("no/x.json")});
  CHECK(unwritable.code == 3);
}

TEST_CASE("what takes more than five seconds shows its rate and the time left") {
  const Outcome outcome =
      run_program({"bench", "dirac", "--lattice", "4x4x4x4", "--seconds", "1.7"});
  INFO(outcome.out << outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.err.find(" %, ") != std::string::npos);
  CHECK(outcome.err.find(" s/s, about ") != std::string::npos);
  CHECK(outcome.err.find(" s left\n") != std::string::npos);
}

TEST_CASE("bench tofu reaches the aims, and draws") {
  const ScratchFolder folder;
  Rows rows = quick_bench("tofu", folder, "t");
  const auto value = [&](const std::string& id) { return value_of(rows, id); };

  CHECK(value("tofu.hop_cycles") == 8);
  CHECK(rows["tofu.hop_cycles"]["paper"] == 31);
  CHECK(value("tofu.gate_cycles") == 8);
  CHECK(value("tofu.gate_wire_cycles") == 8 + 3 + 3 + 3 + 2);
  CHECK(value("tofu.payload_fraction") >= 0.97);
  CHECK(rows["tofu.payload_fraction"]["paper"] == 0.9);
  CHECK(value("tofu.payload_fraction") < rows["tofu.payload_fraction"]["limit"]);
  CHECK(value("tofu.put8_ns") <= 200);
  // The descriptor is read once.
  CHECK(value("tofu.put8_20ns_ns") - value("tofu.put8_ns") >= 20);
  CHECK(value("tofu.put8_200ns_ns") - value("tofu.put8_20ns_ns") == Approx(180).margin(3.2));
  CHECK(value("tofu.put_1_gb_s") >= 4.75);
  CHECK(value("tofu.put_4_gb_s") >= 4 * 4.75);
  CHECK(value("tofu.put_4_gb_s") < rows["tofu.put_4_gb_s"]["limit"]);
  // Where more is offered than routers can take, transit first holds throughput.
  CHECK(value("tofu.accepted_8x8_4_transit_first") > 1.1 * value("tofu.accepted_8x8_4_in_turn"));
  CHECK(value("tofu.accepted_8x8_4_in_turn") > 0.4);
  // Another exchange costs a barrier's packet at least: gate, links and routers around it, the
  // beats after the first, a cable. Two nodes have a second gate each instead, 6 cycles further.
  const double cycle = 3.2e-3, packet = (19 - 1 + 2 + 20) * cycle;
  const std::string doubling = "tofu.barrier_doubling_";
  CHECK(value(doubling + "4_us") == Approx(value(doubling + "2_us") + packet - 6 * cycle));
  CHECK(value(doubling + "8_us") >= value(doubling + "4_us") + packet - cycle);
  // Twice round a ring: 2 (N - 1) packets, of which a few reach further than a neighbour.
  CHECK(value("tofu.barrier_ring_12_us") >= 22 * packet - cycle);
  for (const char* pattern : {"doubling", "ring", "tree", "wide_tree"}) {
    for (const char* nodes : {"2", "3", "4", "8", "12"}) {
      const std::string id = std::string("_") + pattern + "_" + nodes + "_us";
      // Three beats of data more in every packet of the chain.
      CHECK(value("tofu.sum" + id) > value("tofu.barrier" + id));
      CHECK(value("tofu.sum" + id) < 1.2 * value("tofu.barrier" + id));
    }
  }
  // Recursive doubling: a gate a step, of which there is one more where N is no power of two; a
  // ring has one that starts, one a round; a tree starts, and gathers and tells two children each.
  CHECK(value("tofu.gates_doubling_2") == 2);  // no gate is wired to itself
  CHECK(value("tofu.gates_doubling_4") == 2);
  CHECK(value("tofu.gates_doubling_8") == 3);
  CHECK(value("tofu.gates_doubling_12") == 3 + 2);
  CHECK(value("tofu.gates_ring_12") == 3);
  CHECK(value("tofu.gates_tree_12") == 5);
  // Gates do not wait for hosts; noise costs least where hosts do not wait either.
  CHECK(value("tofu.round_gates_8_us") < value("tofu.round_hosts_8_us"));
  CHECK(value("tofu.round_gates_behind_noise_8_us") < value("tofu.round_hosts_noise_8_us"));
  if (have_gnuplot()) {
    for (const char* figure : {"t.congestion.svg", "t.congestion.png", "t.barrier.svg",
                               "t.barrier.png", "t.noise.svg", "t.noise.png"})
      CHECK(std::ifstream(folder.file(figure)).peek() != EOF);
  }
}

TEST_CASE("bench sim: what would measure nothing, or have no effect, is refused") {
  for (const char* threads : {"-1", "0", "1,-3"}) {
    const Outcome few = run_program({"bench", "sim", "--nodes", "1", "--threads", threads});
    CHECK(few.code == 2);
    CHECK(few.err.find("take 1 or more") != std::string::npos);
  }
  const Outcome none = run_program({"bench", "sim", "--nodes", "1", "--threads", "2,3"});
  CHECK(none.code == 2);
  CHECK(none.err.find("--threads 2,3: no more threads than nodes") != std::string::npos);
  for (const char* const option : {"--load", "--rounds"}) {
    const Outcome outcome = run_program({"bench", "sim", option, "1"});
    CHECK(outcome.code == 2);
    CHECK(outcome.err.find("--peer") != std::string::npos);
  }
}

TEST_CASE(
    "what a node takes of memory is measured, and is what too large machines are refused by") {
  for (const std::string machine : {"qpace", "qcdoc", "tofu"}) {
    INFO(machine);
    const ScratchFolder folder;
    const std::string json = folder.file("sim.json");
    const Outcome outcome =
        run_program({"bench", "sim", machine, "--nodes", machine == "qpace" ? "27" : "16",
                     "--threads", "1", "--seconds", "0.1", "--json", json});
    INFO(outcome.err);
    // Counters of coverage, and what surrounds objects for a sanitizer, are a node's memory, too.
#if !defined(HT_COVERAGE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    CHECK(outcome.code == 0);  // not more than assumed
#endif
    const auto rows = rows_of(json);
    // Bytes: half of what it was when this was written. Less is a measurement that went wrong.
    CHECK(rows.at("sim." + machine + ".node_bytes")["value"] > (machine == "tofu"    ? 1.2e6
                                                                : machine == "qpace" ? 2e5
                                                                                     : 1.5e5));
  }
}

namespace {

struct Printed {
  std::string out, json;
};

Printed bench_in(int processes, const std::string& machine) {
  const ScratchFolder folder;
  const std::string file = folder.file("bench.json");
  const Outcome o = run_program({"bench", machine, "--quick", "--json", file}, 0, processes);
  INFO(o.out << o.err);
  REQUIRE(o.code == 0);
  return {o.out, content_of(file)};
}

void check_same_in_several(const std::string& machine, std::initializer_list<int> processes) {
  const Printed one = bench_in(1, machine);
  for (const int n : processes) {
    CAPTURE(machine, n);
    const Printed several = bench_in(n, machine);
    CHECK(several.out == one.out);
    CHECK(several.json == one.json);
  }
}

}  // namespace

TEST_CASE("bench: what several processes measure is printed and written as by one") {
  if (skipped_without_mpi()) return;
  check_same_in_several("qpace", {3});
  // No measurements, and not to be spread.
  CHECK(run_program({"bench", "cell"}, 0, 2).out == run_program({"bench", "cell"}).out);
  const Outcome o = run_program({"bench", "dirac"}, 0, 2);
  CHECK(o.code == 2);
  CHECK(o.err.find("bench runs in one process: start it without mpirun") != std::string::npos);
}

TEST_CASE("bench: the same of all machines", "[nightly]") {
  if (skipped_without_mpi()) return;
  check_same_in_several("qpace", {2, 4});
  check_same_in_several("qcdoc", {2, 3});
  check_same_in_several("tofu", {2, 3});
}
