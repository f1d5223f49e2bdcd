// SPDX-License-Identifier: Apache-2.0
// PYNQ-Z2 boards in a ring, their programmable logic Verilated, what runs on their processors in
// processes of their own (qpace_ring_node, sw/axi). Started by fpga/common/board.py --simulate.
//
//   board_pynq_z2 [--boards N] [--seconds S] [--delay D] [--disturbances K] [--seed I]
//
// D: of every cable, in half periods of the sampling clock (5 ns); K: times that every cable shows
// something else for a bit, from 0.3 ms on, one in 10 us. Prints what the nodes print, a line of
// JSON each. Exit codes: the first one of a node that is not 0; 2 usage, 12 a node's process
// failed.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "sim/axi/axi_cluster.hpp"
#include "sim/board/pynq_z2_wires.hpp"
#include "sim/plugin/child_process.hpp"
#include "sw/host/errors.hpp"

namespace {

using namespace ht;
namespace fs = std::filesystem;

constexpr Picoseconds kHalfSample = 5000, kBit = 20'000, kCore = 20'000;

struct Arguments {
  int boards = 2, disturbances = 0;
  unsigned delay = 5;
  double seconds = 1;
  std::uint64_t seed = 1;
};

/// A folder of this process's own, gone with it.
struct Folder {
  fs::path path;
  Folder() {
    std::string name = (fs::temp_directory_path() / "hypertorus_boards_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw DataError("cannot make " + name);
    path = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

machine::AxiClusterOptions ring(const Arguments& a, const fs::path& folder) {
  machine::AxiClusterOptions options;
  options.folder = folder;
  options.nodes = a.boards;
  options.neighbour = [n = a.boards](int node, int link) {
    return link == 0 ? (node + 1) % n : (node + n - 1) % n;
  };
  options.node.clock.period = kCore;
  options.node.link_clock.period = kHalfSample;
  options.node.patience = 60;
  options.node.stall = 0.1;
  options.cable_delay = kHalfSample * (a.delay + 1);
  options.seed = a.seed;
  return options;
}

int run(const Arguments& a, const fs::path& program) {
  const Folder folder;
  board::PmodCable::disturbances = [&a](std::uint32_t cable) {
    std::seed_seq from{a.seed, std::uint64_t{cable}};
    std::mt19937_64 draw(from);
    std::vector<sim::Disturbance> all;
    Picoseconds end = 300'000'000;  // links are up by then
    for (int i = 0; i < a.disturbances; ++i) {
      const Picoseconds from_time = end + static_cast<Picoseconds>(draw() % 20'000'000);
      end = from_time + kBit;
      all.push_back({from_time, end, static_cast<std::uint8_t>(draw() & 0xF)});
    }
    return all;
  };
  machine::AxiCluster<board::PynqZ2Wires> cluster(ring(a, folder.path));
  std::vector<std::unique_ptr<machine::ChildProcess>> nodes;
  const auto file = [&](int node, const char* what) {
    return folder.path / fmt::format("{}{}", what, node);
  };
  for (int node = 0; node < a.boards; ++node) {
    nodes.push_back(std::make_unique<machine::ChildProcess>(
        std::vector<std::string>{program.string(), "--window", cluster.window(node).string(),
                                 "--node", std::to_string(node), "--nodes",
                                 std::to_string(a.boards), "--seconds",
                                 fmt::format("{}", a.seconds), "--seed", std::to_string(a.seed)},
        machine::ChildProcess::Files{file(node, "out").string(), file(node, "err").string()}));
  }
  std::string why;
  try {
    cluster.run();
  } catch (const Error& e) {
    why = e.what();
  }
  int code = 0;
  for (int node = 0; node < a.boards; ++node) {
    const auto ended =
        nodes[static_cast<std::size_t>(node)]->code_within(std::chrono::milliseconds(60'000));
    fmt::print("{}", text_of(file(node, "out")));
    fmt::print(stderr, "{}", text_of(file(node, "err")));
    if (code == 0) code = ended.value_or(12);
  }
  if (!why.empty()) fmt::print(stderr, "{}\n", why);
  return code == 0 && !why.empty() ? 12 : code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("PYNQ-Z2 boards in a ring");
  Arguments a;
  app.add_option("--boards", a.boards, "in the ring")->check(CLI::Range(2, 8));
  app.add_option("--seconds", a.seconds, "that messages go round")
      ->check(CLI::Range(0.0, 1e6))
      ->check(CLI::Validator(
          [](const std::string& text) { return text == "nan" ? "no number" : ""; }, ""));
  app.add_option("--delay", a.delay, "of a cable, in steps of 5 ns")->check(CLI::Range(0, 200));
  app.add_option("--disturbances", a.disturbances, "of every cable")->check(CLI::Range(0, 10000));
  app.add_option("--seed", a.seed, "of messages and disturbances");
  try {
    app.parse(argc, argv);
    return run(a, fs::read_symlink("/proc/self/exe").parent_path() / "qpace_ring_node");
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "PYNQ-Z2 boards: {}\n", e.what());
    return 12;
  }
}
