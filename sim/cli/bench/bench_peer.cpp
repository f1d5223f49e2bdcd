// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/bench/bench_peer.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <optional>
#include <regex>

#include "sim/bench/bench_rows.hpp"
#include "sim/cli/bench/bench_traffic.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/output/progress_line.hpp"
#include "sim/plugin/child_process.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/output_file.hpp"

namespace ht::cli {
namespace {

namespace fs = std::filesystem;

// The edge of a cube of so many nodes, if it is even: then half of a ring's routes go each way.
int even_edge(int nodes) {
  const int edge = static_cast<int>(std::lround(std::cbrt(nodes)));
  return edge * edge * edge == nodes && edge % 2 == 0 ? edge : 0;
}

std::vector<int> nodes_of(const BenchSimOptions& o) {
  return o.nodes == BenchSimOptions().nodes ? std::vector<int>{64, 512} : o.nodes;
}

fs::path program_of(const BenchSimOptions& o) {
  return fs::path(o.peer) / "src" / "booksim";
}

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
}

// Of this process' children that have ended.
double children_seconds() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double own_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Length {
  double cycles = 0, seconds = 0;
};

/// The other simulator on a torus of `edge` in three dimensions.
class Peer {
 public:
  Peer(const BenchSimOptions& options, int edge, const BenchSession& session)
      : options_(options),
        session_(session),
        edge_(edge),
        folder_(fs::temp_directory_path() / fmt::format("hypertorus-peer-{}", getpid())) {
    fs::create_directories(folder_);
    // Two virtual channels of eight flits, dimension order, uniform traffic of single flits.
    host::write_file(folder_ / "torus", fmt::format("topology = torus;\nk = {};\nn = 3;\n"
                                                    "routing_function = dim_order;\n"
                                                    "num_vcs = 2;\nvc_buf_size = 8;\n"
                                                    "traffic = uniform;\npacket_size = 1;\n"
                                                    "injection_rate = {};\n"
                                                    "sim_type = throughput;\nwarmup_periods = 1;\n"
                                                    "sim_count = 1;\n",
                                                    edge_, options.load));
  }
  ~Peer() {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  /// Router-cycles a second of processor time. Two lengths, so that setting up counts for nothing.
  double speed() {
    const double routers = static_cast<double>(edge_) * edge_ * edge_;
    const Length first = run(period_);
    Length second = run(4 * period_);
    while (second.seconds - first.seconds < options_.seconds) {
      period_ *= 2;
      second = run(4 * period_);
    }
    return routers * (second.cycles - first.cycles) / (second.seconds - first.seconds);
  }

 private:
  Length run(long period) {
    const std::string log = (folder_ / "log").string();
    fs::remove(log);
    const double before = children_seconds();
    machine::ChildProcess child({program_of(options_).string(), (folder_ / "torus").string(),
                                 fmt::format("sample_period={}", period)},
                                {.output = log, .errors = {}});
    while (!child.code_within(std::chrono::milliseconds(100))) {
      check_stop(session_.stop);
    }
    std::ifstream in(log);
    static const std::regex taken(R"(^Time taken is (\d+) cycles)");
    Length length{0, children_seconds() - before};
    std::smatch found;
    for (std::string line; std::getline(in, line);) {
      if (std::regex_search(line, found, taken)) length.cycles = std::stod(found[1]);
    }
    if (*child.code() != 0 && length.cycles == 0)
      throw DataError(
          fmt::format("--peer: {} ended with {}; it must take a configuration and print "
                      "\"Time taken is N cycles\"",
                      program_of(options_).string(), *child.code()));
    if (length.cycles == 0)
      throw DataError(
          fmt::format("--peer: {} does not say how many cycles it took (\"Time taken is "
                      "N cycles\"); is --load {} more than its torus carries?",
                      program_of(options_).string(), options_.load));
    return length;
  }

  const BenchSimOptions& options_;
  const BenchSession& session_;
  int edge_;
  fs::path folder_;
  long period_ = 25;
};

}  // namespace

void check_peer_options(const BenchSimOptions& o) {
  if (!(o.load > 0 && o.load <= 1))
    throw UsageError(fmt::format("--load {}: above 0, and at most 1", o.load));
  if (o.rounds < 1 || o.rounds > 100)
    throw UsageError(fmt::format("--rounds {}: 1 to 100", o.rounds));
  for (const int nodes : nodes_of(o)) {
    if (even_edge(nodes) == 0)
      throw UsageError(
          fmt::format("--nodes {}: with --peer take cubes of even edge, as in 64,512", nodes));
  }
  if (access(program_of(o).c_str(), X_OK) != 0)
    throw UsageError(
        fmt::format("--peer {0}: there is no {0}/src/booksim; get github.com/booksim/booksim2, and "
                    "build it with "
                    "make -C {0}/src (it needs flex and bison)",
                    o.peer));
}

int bench_peer(const BenchSimOptions& options, const machine::MachineDescription& type,
               const BenchSession& session) {
  BenchRows rows(session.results, &session.stop);
  ProgressLine progress(false, &session.stop);
  fmt::print(
      "cycles of a router of BookSim2 and of a {} node (link clock) simulated a second of "
      "processor "
      "time, one thread;\nBookSim2: uniform traffic of {} flits a node and cycle on k x k x k; "
      "here: "
      "neighbours, links as busy as there, and full\n{:>6} {:>10} {:>16} {:>16} {:>8}\n",
      type.title(), options.load, "nodes", "links busy", "BookSim2, 1/s", type.title() + ", 1/s",
      "ratio");
  for (const int nodes : nodes_of(options)) {
    const int edge = even_edge(nodes);
    // Of 3 k / 4 hops on the average, 6 links a node.
    const double busy = std::min(1.0, options.load * edge / 8);
    Peer peer(options, edge, session);
    for (const double load : {busy, 1.0}) {
      sim::KernelOptions kernel_options;
      kernel_options.watchdog = 0;
      kernel_options.threads = 1;
      const auto machine = bare_machine(type, type.speed().shape(nodes), true, kernel_options);
      const Picoseconds round =
          load < 1 ? round_of(type.traits(), machine->link_period(), load) : 0;
      const machine::Machine::Program program = [&](qmp::Transport& driver, int) {
        neighbour_traffic(driver, type.speed().own_links, round);
      };
      std::optional<machine::StartedPrograms> started(*machine);
      machine->start_everywhere(program);
      sim::Kernel& kernel = machine->kernel();
      progress.stage(fmt::format("{} nodes: links train", nodes));
      kernel.run(links_up);
      std::vector<double> theirs, ours;
      for (int i = 0; i < options.rounds; ++i) {
        progress.stage(fmt::format("{} nodes, round {}: BookSim2", nodes, i + 1));
        theirs.push_back(peer.speed());
        progress.stage(fmt::format("{} nodes, round {}: {}", nodes, i + 1, type.title()));
        const auto cycles = [&] { return static_cast<double>(kernel.statistics().cycles.total); };
        const double before = cycles(), begin = own_seconds();
        double elapsed = 0;
        for (Picoseconds step = 500'000; elapsed < options.seconds; step *= 2) {
          kernel.run(kernel.now() + step);
          elapsed = own_seconds() - begin;
          progress.time(kernel.now());
        }
        ours.push_back((cycles() - before) / elapsed);
      }
      started.reset();
      progress.clear();
      const double ratio = median(ours) / median(theirs);
      fmt::print("{:>6} {:>9.0f}% {:>16.0f} {:>16.0f} {:>8.2f}\n", nodes, 100 * load,
                 median(theirs), median(ours), ratio);
      std::fflush(stdout);
      const std::string id = fmt::format("sim.{}.peer.{}_nodes.{}", type.name(), nodes,
                                         load < 1 ? "same_load" : "full");
      rows.add(id + ".booksim2_hz", median(theirs), "router-cycles/s");
      rows.add(id + ".hz", median(ours), "node-cycles/s");
      rows.add(id + ".ratio", ratio, "");
    }
  }
  return 0;
}

}  // namespace ht::cli
