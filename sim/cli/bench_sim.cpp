// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench_sim.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>

#include "sim/cli/bench_rows.hpp"
#include "sim/cli/report.hpp"
#include "sim/machine/qpace_machine.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

constexpr Picoseconds links_up = 20'000'000;
constexpr std::size_t message_bytes = 16 * qpace::line_bytes;

// Keeps all six links of the node sending and receiving for ever.
void full_traffic(qpace::Driver& driver) {
  std::vector<qmp::MessageId> messages;
  for (int d = 0; d < qpace::links; ++d) {
    for (int i = 0; i < 2; ++i) {
      messages.push_back(driver.declare_receive(
          d, qmp::Channel::User, driver.allocate(message_bytes, 128), message_bytes));
      messages.push_back(driver.declare_send(d, qmp::Channel::User,
                                             driver.allocate(message_bytes, 128), message_bytes));
    }
  }
  for (const auto m : messages) driver.start(m);
  for (;;) {
    for (const auto m : messages) {
      driver.wait(m);
      driver.start(m);
    }
  }
}

void idle(qpace::Driver& driver) {
  for (;;) driver.runtime().advance(1'000'000'000);
}

struct Setting {
  const char* name;
  bool busy, skip, jump, trace;
};

struct Speed {
  double cycles_a_second = 0;  ///< node-cycles of the link clock, all nodes together
  unsigned threads = 1;        ///< in use
};

Speed measure(int nodes, int threads, const Setting& setting, double seconds,
              const std::function<void(double)>& progress) {
  machine::QpaceMachineOptions options;
  const int edge = static_cast<int>(std::lround(std::cbrt(nodes)));
  options.shape = {edge, edge, edge};
  options.node.skip_idle = setting.skip;
  options.node.put_latency = options.node.notify_latency =
      0;  // the network's speed, not the host's
  options.kernel.watchdog = 0;
  options.kernel.jump = setting.jump;
  options.kernel.threads = static_cast<unsigned>(threads);
  machine::QpaceMachine machine(options);
  const machine::QpaceMachine::DriverProgram program = setting.busy ? full_traffic : idle;
  machine::TraceOptions trace;
  trace.stem = std::filesystem::temp_directory_path() / "hypertorus-bench";
  if (setting.trace) machine.node(0).trace(trace);
  machine.start(program);
  sim::Kernel& kernel = machine.kernel();
  kernel.run(links_up);
  const auto cycles = [&] { return static_cast<double>(kernel.statistics().cycles.total); };
  const double before = cycles();
  const auto begin = std::chrono::steady_clock::now();
  double elapsed = 0;
  // Doubling steps, so that the clock is not read all the time and slow settings end in time.
  for (Picoseconds step = 500'000; elapsed < seconds; step *= 2) {
    kernel.run(kernel.now() + step);
    elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    progress(std::min(seconds, elapsed));
  }
  const Speed speed{(cycles() - before) / elapsed, kernel.threads()};
  machine.abandon();
  if (setting.trace) {
    machine.close_traces();
    for (const char* suffix : {".node0.fst", ".node0.gtkw"})
      std::filesystem::remove(trace.stem + suffix);
  }
  return speed;
}

}  // namespace

void declare_bench_sim_options(CLI::App& app, BenchSimOptions& options) {
  app.add_option("--nodes", options.nodes, "cubes: 1, 8, 27, 64, 512 ...")
      ->capture_default_str()
      ->delimiter(',');
  app.add_option("--threads", options.threads)->capture_default_str()->delimiter(',');
  app.add_option("--seconds", options.seconds, "of each measurement")->capture_default_str();
  app.add_option("--json", options.json, "write rows {id, value, unit, paper, limit} to FILE");
}

int bench_sim(const BenchSimOptions& options) {
  BenchRows rows(options.json);
  if (!(options.seconds > 0 && options.seconds <= 3600))
    throw UsageError(fmt::format("--seconds {}: must lie between 0 and 3600", options.seconds));
  for (const int n : options.nodes) {
    const int edge = static_cast<int>(std::lround(std::cbrt(n)));
    if (n < 1 || edge * edge * edge != n)
      throw UsageError(fmt::format("--nodes {}: take cubes, as in 1,8,64,512", n));
  }
  constexpr Setting settings[] = {{"busy", true, true, true, false},
                                  {"busy, no skipping", true, false, false, false},
                                  {"busy, node 0 traced", true, true, true, true},
                                  {"idle, windows left out", false, true, true, false},
                                  {"idle, cycles skipped", false, true, false, false},
                                  {"idle, no skipping", false, false, false, false}};
  fmt::print(
      "link clock cycles of a QPACE node simulated a second; aim: 500,000 a core when busy\n");
  fmt::print("{:>6} {:>8}  {:<22} {:>16} {:>16}\n", "nodes", "threads", "traffic", "node-cycles/s",
             "a core");
  double all = 0, done = 0;
  for (const int nodes : options.nodes) {
    for (const int threads : options.threads)
      all += threads > nodes ? 0 : options.seconds * static_cast<double>(std::size(settings));
  }
  ProgressLine progress(false);
  progress.expect_work(all, "s");
  for (const int nodes : options.nodes) {
    for (const int threads : options.threads) {
      if (threads > nodes) continue;
      for (const Setting& setting : settings) {
        progress.stage(fmt::format("{} nodes, {} threads, {}", nodes, threads, setting.name));
        const Speed speed = measure(nodes, threads, setting, options.seconds,
                                    [&](double s) { progress.work(done + s); });
        done += options.seconds;
        progress.clear();
        const double per_core = speed.cycles_a_second / speed.threads;
        fmt::print("{:>6} {:>8}  {:<22} {:>16.0f} {:>16.0f}\n", nodes, speed.threads, setting.name,
                   speed.cycles_a_second, per_core);
        std::fflush(stdout);
        rows.add(fmt::format("sim.qpace.{}.{}_nodes.{}_threads", setting.name, nodes, threads),
                 per_core, "node-cycles/s and core");
        if (nodes == 8 && threads == 1 && setting.busy && setting.skip && !setting.trace)
          rows.add("sim.qpace.busy_hz", per_core, "node-cycles/s and core");
      }
    }
  }
  rows.write();
  return 0;
}

}  // namespace ht::cli
