// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench/bench_sim.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <span>

#include "sim/bench/bench_rows.hpp"
#include "sim/cli/bench/bench_peer.hpp"
#include "sim/cli/bench/bench_traffic.hpp"
#include "sim/cli/common/machine_json.hpp"
#include "sim/cli/common/machine_options.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/plugin/parse.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

constexpr int least_for_memory = 16;  // nodes: fewer show the program rather than them

void idle(qmp::Transport& driver) {
  for (;;) driver.runtime().advance(1'000'000'000);
}

struct Setting {
  const char* name;
  bool busy, skip, jump, trace;
};

struct Speed {
  double cycles_a_second = 0;  ///< node-cycles of the link clock, all nodes together
  unsigned threads = 1;        ///< in use, by all processes
  double node_bytes = 0;       ///< by which this process grew, a node
};

// Bytes of this process that are in memory (proc(5), statm).
double resident() {
  double pages = 0, all = 0;
  std::ifstream("/proc/self/statm") >> all >> pages;
  return pages * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// What the first process says, in all.
double of_the_first(double value, sim::RankExchange* ranks) {
  if (ranks == nullptr) return value;
  if (ranks->rank() != 0) value = 0;
  ranks->merge(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

Speed measure(const MachineDescription& type, int nodes, int threads, const Setting& setting,
              double seconds, Ranks& ranks, const std::function<void(double)>& progress) {
  sim::KernelOptions options;
  options.watchdog = 0;
  options.jump = setting.jump;
  options.ranks = ranks.exchange();
  options.threads = static_cast<unsigned>(threads);
  malloc_trim(0);  // what machines before it gave back
  const double memory = resident();
  const auto machine = bare_machine(type, type.speed().shape(nodes), setting.skip, options);
  const machine::Machine::Program program = [&](qmp::Transport& driver, int) {
    setting.busy ? neighbour_traffic(driver, type.speed().own_links) : idle(driver);
  };
  machine::TraceOptions trace;
  trace.stem = std::filesystem::temp_directory_path() / "hypertorus-bench";
  if (setting.trace && machine->is_local(0)) machine->processor(0).trace(trace);
  ranks.begin();
  std::optional<machine::StartedPrograms> started(*machine);
  machine->start_everywhere(program);
  sim::Kernel& kernel = machine->kernel();
  kernel.run(links_up);
  const auto cycles = [&] { return static_cast<double>(machine->statistics().cycles.total); };
  const double before = cycles();
  const auto begin = std::chrono::steady_clock::now();
  double elapsed = 0;
  // Doubling steps, so that the clock is not read all the time and slow settings end in time.
  for (Picoseconds step = 500'000; elapsed < seconds; step *= 2) {
    kernel.run(kernel.now() + step);
    elapsed = of_the_first(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(),
        ranks.exchange());
    progress(std::min(seconds, elapsed));
  }
  const unsigned processes = ranks.exchange() == nullptr ? 1 : ranks.exchange()->ranks();
  // What stands beside the nodes takes no time.
  const Speed speed{(cycles() - before) / elapsed,
                    std::min(kernel.threads() * processes, static_cast<unsigned>(nodes)),
                    (resident() - memory) / nodes};
  started.reset();
  if (setting.trace && machine->is_local(0)) {
    machine->close_traces();
    for (const char* suffix : {".node0.fst", ".node0.gtkw"})
      std::filesystem::remove(trace.stem + suffix);
  }
  return speed;
}

// "NAME: cubes; OTHER: powers of 2".
std::string node_counts(const MachineCatalog& catalog) {
  std::string text;
  for (const MachineDescription* machine : catalog.machines())
    text +=
        fmt::format("{}{}: {}", text.empty() ? "" : "; ", machine->name(), machine->speed().takes);
  return text;
}

void print_heading(const MachineDescription& type) {
  fmt::print("link clock cycles of a {} node simulated a second; aim: 500,000 a core when busy\n",
             type.title());
  fmt::print("{:>6} {:>8}  {:<22} {:>16} {:>16}\n", "nodes", "threads", "traffic", "node-cycles/s",
             "a core");
}

}  // namespace

void declare_bench_sim_options(CLI::App& app, BenchSimOptions& options,
                               const MachineCatalog& catalog) {
  declare_machine_word(app, options.machine, catalog);
  app.add_option("--nodes", options.nodes,
                 "as many as the machine can have: " + node_counts(catalog))
      ->capture_default_str()
      ->delimiter(',');
  app.add_option("--threads", options.threads,
                 "numbers of threads, one row each where there are as many nodes")
      ->capture_default_str()
      ->delimiter(',');
  app.add_option("--seconds", options.seconds, "of each measurement")->capture_default_str();
  CLI::Option* const peer = app.add_option(
      "--peer", options.peer,
      "DIR: a built checkout of BookSim2; its routers beside these nodes, in turn, on tori "
      "of --nodes 64,512 or other cubes of even edge");
  peer->group("Peers");
  app.add_option("--load", options.load,
                 "with --peer: flits a node and cycle there; links here are as busy as those")
      ->capture_default_str()
      ->needs(peer)
      ->group("Peers");
  app.add_option("--rounds", options.rounds, "with --peer: measurements of each, in turn")
      ->capture_default_str()
      ->needs(peer)
      ->group("Peers");
  declare_set_option(app, options.set);
  app.add_option("--json", options.json, "write rows {id, value, unit, paper, limit} to FILE");
}

int bench_sim(const BenchSimOptions& options, const MachineCatalog& catalog,
              const BenchSession& session, Ranks& ranks) {
  BenchRows rows(session.results, &session.stop);
  if (!(options.seconds > 0 && options.seconds <= 3600))
    throw UsageError(
        fmt::format("--seconds {}: must lie above 0, and be 3600 at most", options.seconds));
  const MachineDescription& usual = catalog.find("bench sim", options.machine);
  const machine::RtlValues set = machine::parse_rtl_values(usual, options.set);
  session.results.add({{"set", rtl_values_json(set)}});
  if (!options.peer.empty() && ranks.exchange() != nullptr)
    throw UsageError("--peer: beside one process of ours; start it without mpirun");
  if (!options.peer.empty()) check_peer_options(options);
  const MachineDescription& type = catalog.variant(usual, set);
  const machine::SpeedTraits kind = type.speed();
  const std::string prefix = "sim." + type.name();
  for (const int n : options.nodes) {
    if (kind.shape(n).empty())
      throw UsageError(fmt::format("--nodes {}: take {}, as in 1,8,64,512", n, kind.takes));
  }
  if (!options.peer.empty()) return bench_peer(options, type, session);
  for (const int t : options.threads) {
    if (t < 1) throw UsageError(fmt::format("--threads {}: take 1 or more, as in 1,2", t));
  }
  const int most = *std::ranges::max_element(options.nodes);
  if (std::ranges::none_of(options.threads, [most](int t) { return t <= most; }))
    throw UsageError(
        fmt::format("--threads {}: no more threads than nodes, and --nodes has {} at most",
                    fmt::join(options.threads, ","), most));
  constexpr Setting settings[] = {{"busy", true, true, true, false},
                                  {"busy, no skipping", true, false, false, false},
                                  {"busy, node 0 traced", true, true, true, true},
                                  {"idle, windows left out", false, true, true, false},
                                  {"idle, cycles skipped", false, true, false, false},
                                  {"idle, no skipping", false, false, false, false}};
  if (Ranks::reports()) print_heading(type);
  double all = 0, done = 0, node_bytes = 0;
  for (const int nodes : options.nodes) {
    for (const int threads : options.threads)
      all += threads > nodes ? 0 : options.seconds * static_cast<double>(std::size(settings));
  }
  ProgressLine progress(!Ranks::reports(), &session.stop);
  const unsigned processes = ranks.exchange() == nullptr ? 1 : ranks.exchange()->ranks();
  progress.expect_work(all, "s");
  for (const int nodes : options.nodes) {
    for (const int threads : options.threads) {
      if (threads > nodes) continue;
      for (const Setting& setting : settings) {
        progress.stage(fmt::format("{} nodes, {} threads, {}", nodes, threads, setting.name));
        const Speed speed = measure(type, nodes, threads, setting, options.seconds, ranks,
                                    [&](double s) { progress.work(done + s); });
        done += options.seconds;
        if (!Ranks::reports()) continue;
        progress.clear();
        const double per_core = speed.cycles_a_second / speed.threads;
        fmt::print("{:>6} {:>8}  {:<22} {:>16.0f} {:>16.0f}\n", nodes, speed.threads, setting.name,
                   speed.cycles_a_second, per_core);
        std::fflush(stdout);
        std::string id =
            fmt::format("{}.{}.{}_nodes.{}_threads", prefix, setting.name, nodes, threads);
        if (processes > 1) id += fmt::format(".{}_processes", processes);
        rows.add(id, per_core, "node-cycles/s and core");
        if (setting.busy && setting.skip && !setting.trace && nodes >= least_for_memory &&
            processes == 1)
          node_bytes = std::max(node_bytes, speed.node_bytes);
        if (nodes == kind.reference && threads == 1 && processes == 1 && setting.busy &&
            setting.skip && !setting.trace)
          rows.add(fmt::format("{}.busy_hz", prefix), per_core, "node-cycles/s and core");
      }
    }
  }
  ranks.end();
  if (node_bytes == 0) return 0;
  const auto assumed = static_cast<double>(type.traits().simulated_bytes);
  fmt::print("memory of a node: {:.0f} kB; commands reckon with {:.0f} kB\n", node_bytes / 1024,
             assumed / 1024);
  rows.add(prefix + ".node_bytes", node_bytes, "B");
  if (node_bytes > assumed)
    throw MismatchError(
        fmt::format("a node of {} takes {:.0f} bytes, and commands that refuse "
                    "machines too large reckon with {:.0f}",
                    type.title(), node_bytes, assumed));
  return 0;
}

}  // namespace ht::cli
