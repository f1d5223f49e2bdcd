// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench/bench_sim.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>

#include "sim/bench/bench_rows.hpp"
#include "sim/cli/common/machine_kind.hpp"
#include "sim/cli/run/report.hpp"
#include "sim/qcdoc/machine.hpp"
#include "sim/qpace/machine.hpp"
#include "sim/tofu/machine.hpp"
#include "sw/host/errors.hpp"

namespace ht::cli {
namespace {

constexpr Picoseconds links_up = 20'000'000;
constexpr std::size_t message_bytes = 2048;

// Keeps all links of the node to others, or QPACE's to itself, too, sending and receiving for ever.
void full_traffic(qmp::Transport& driver, bool own_links) {
  std::vector<qmp::MessageId> messages;
  for (int d = 0; d < 2 * static_cast<int>(driver.shape().size()); ++d) {
    if (driver.shape()[static_cast<std::size_t>(d / 2)] == 1 && !own_links) continue;
    for (int i = 0; i < 2; ++i) {
      messages.push_back(driver.declare_receive(
          d, qmp::Channel::User, driver.allocate(message_bytes, 128), message_bytes));
      messages.push_back(driver.declare_send(d, qmp::Channel::User,
                                             driver.allocate(message_bytes, 128), message_bytes));
    }
  }
  for (const auto m : messages) driver.start(m);
  while (messages.empty()) driver.runtime().advance(1'000'000'000);
  for (;;) {
    for (const auto m : messages) {
      driver.wait(m);
      driver.start(m);
    }
  }
}

void idle(qmp::Transport& driver) {
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

// What is measured: a machine, and how big.
struct Kind {
  const char* title;   ///< of its node
  const char* prefix;  ///< of rows
  bool own_links;      ///< a node's links to itself, along axes of length 1, carry messages
  int reference;       ///< nodes of the row "busy_hz": as few as have all links busy
  /// Its shape for so many nodes, or nothing.
  std::vector<int> (*shape)(int nodes);
  std::unique_ptr<machine::Machine> (*make)(const std::vector<int>& shape, const Setting& setting,
                                            const sim::KernelOptions& kernel);
};

std::vector<int> cube(int nodes) {
  const int edge = static_cast<int>(std::lround(std::cbrt(nodes)));
  if (nodes < 1 || edge * edge * edge != nodes) return {};
  return {edge, edge, edge};
}

// Six axes as equal as may be.
std::vector<int> power_of_two(int nodes) {
  if (nodes < 1 || !std::has_single_bit(static_cast<unsigned>(nodes))) return {};
  std::vector<int> shape(6, 1);
  for (std::size_t axis = 0; nodes > 1; axis = (axis + 1) % 6, nodes /= 2) shape[axis] *= 2;
  return shape;
}

std::unique_ptr<machine::Machine> make_qpace(const std::vector<int>& shape, const Setting& setting,
                                             const sim::KernelOptions& kernel) {
  machine::QpaceMachineOptions options;
  options.shape = shape;
  options.node.skip_idle = setting.skip;
  // The network's speed, not the host's.
  options.node.put_latency = options.node.notify_latency = 0;
  options.kernel = kernel;
  return std::make_unique<machine::QpaceMachine>(std::move(options));
}

std::unique_ptr<machine::Machine> make_qcdoc(const std::vector<int>& shape, const Setting& setting,
                                             const sim::KernelOptions& kernel) {
  machine::QcdocMachineOptions options;
  options.shape = shape;
  options.node.skip_idle = setting.skip;
  options.kernel = kernel;
  return std::make_unique<machine::QcdocMachine>(std::move(options));
}

std::unique_ptr<machine::Machine> make_tofu(const std::vector<int>& shape, const Setting& setting,
                                            const sim::KernelOptions& kernel) {
  machine::TofuMachineOptions options;
  std::ranges::copy(shape, options.shape.length.begin());
  options.node.skip_idle = setting.skip;
  options.kernel = kernel;
  return std::make_unique<machine::TofuMachine>(std::move(options));
}

constexpr Kind qpace{"QPACE", "sim.qpace", true, 8, cube, make_qpace};
constexpr Kind qcdoc{"QCDOC", "sim.qcdoc", false, 64, power_of_two, make_qcdoc};
constexpr Kind tofu{"Tofu", "sim.tofu", false, 64, power_of_two, make_tofu};

const Kind& kind_named(const std::string& machine) {
  switch (parse_machine_kind("bench sim", machine)) {
    case MachineKind::Qpace:
      return qpace;
    case MachineKind::Tofu:
      return tofu;
    case MachineKind::Qcdoc:
      break;
  }
  return qcdoc;
}

Speed measure(const Kind& kind, int nodes, int threads, const Setting& setting, double seconds,
              const std::function<void(double)>& progress) {
  sim::KernelOptions options;
  options.watchdog = 0;
  options.jump = setting.jump;
  options.threads = static_cast<unsigned>(threads);
  const auto machine = kind.make(kind.shape(nodes), setting, options);
  const machine::Machine::Program program = [&](qmp::Transport& driver, int) {
    setting.busy ? full_traffic(driver, kind.own_links) : idle(driver);
  };
  machine::TraceOptions trace;
  trace.stem = std::filesystem::temp_directory_path() / "hypertorus-bench";
  if (setting.trace) machine->processor(0).trace(trace);
  machine->start_everywhere(program);
  sim::Kernel& kernel = machine->kernel();
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
  machine->abandon();
  if (setting.trace) {
    machine->close_traces();
    for (const char* suffix : {".node0.fst", ".node0.gtkw"})
      std::filesystem::remove(trace.stem + suffix);
  }
  return speed;
}

}  // namespace

void declare_bench_sim_options(CLI::App& app, BenchSimOptions& options) {
  app.add_option("machine", options.machine, "qpace, qcdoc or tofu")->capture_default_str();
  app.add_option("--nodes", options.nodes,
                 "qpace: cubes, 1, 8, 27, 64, 512 ...; qcdoc, tofu: powers of 2")
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
  const Kind& kind = kind_named(options.machine);
  for (const int n : options.nodes) {
    if (kind.shape(n).empty())
      throw UsageError(fmt::format("--nodes {}: take {}, as in 1,8,64,512", n,
                                   &kind == &qpace ? "cubes" : "powers of 2"));
  }
  constexpr Setting settings[] = {{"busy", true, true, true, false},
                                  {"busy, no skipping", true, false, false, false},
                                  {"busy, node 0 traced", true, true, true, true},
                                  {"idle, windows left out", false, true, true, false},
                                  {"idle, cycles skipped", false, true, false, false},
                                  {"idle, no skipping", false, false, false, false}};
  fmt::print("link clock cycles of a {} node simulated a second; aim: 500,000 a core when busy\n",
             kind.title);
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
        const Speed speed = measure(kind, nodes, threads, setting, options.seconds,
                                    [&](double s) { progress.work(done + s); });
        done += options.seconds;
        progress.clear();
        const double per_core = speed.cycles_a_second / speed.threads;
        fmt::print("{:>6} {:>8}  {:<22} {:>16.0f} {:>16.0f}\n", nodes, speed.threads, setting.name,
                   speed.cycles_a_second, per_core);
        std::fflush(stdout);
        rows.add(
            fmt::format("{}.{}.{}_nodes.{}_threads", kind.prefix, setting.name, nodes, threads),
            per_core, "node-cycles/s and core");
        if (nodes == kind.reference && threads == 1 && setting.busy && setting.skip &&
            !setting.trace)
          rows.add(fmt::format("{}.busy_hz", kind.prefix), per_core, "node-cycles/s and core");
      }
    }
  }
  rows.write();
  return 0;
}

}  // namespace ht::cli
