// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/compare/compare_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>

#include "sim/bench/gnuplot.hpp"
#include "sim/bench/message_times.hpp"
#include "sim/cli/common/machine_factory.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/compare/compare_result.hpp"
#include "sim/cli/run/report.hpp"
#include "sim/cli/run/run_job.hpp"
#include "sim/cli/run/run_machine.hpp"
#include "sim/cli/version.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/document.hpp"
#include "sim/output/exit_codes.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"

namespace ht::cli {
namespace {

/// The solve; compared with `reference`.
RunResult solve(const RunOptions& options, const dirac::JobSpec& spec,
                const dirac::JobSink& reference, ProgressLine& progress, Ranks& ranks,
                const std::atomic<bool>& stop) {
  RunResult result;
  result.options = options;
  dirac::JobSink sink(spec);
  const auto begin = std::chrono::steady_clock::now();
  run_machine(spec, sink, result, progress, ranks, stop);
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (result.interrupted) return result;
  result.job = sink.result();
  compare(reference, sink, result);
  return result;
}

/// Messages between neighbours of the same machine with good cables; false if it was stopped.
bool send_messages(ComparedMachine& m, const std::vector<std::size_t>& sizes, Picoseconds host_path,
                   ProgressLine& progress, Ranks& ranks, const std::atomic<bool>& stop) {
  MachineOptions options = m.run.options;
  options.errors.bit_error_rate = 0;
  BuildRequirements requirements;
  requirements.host_path = host_path;
  const auto built = build_machine(options, requirements, ranks, stop);
  machine::Machine& machine = *built;
  m.wire_rate =
      options.type->traits().wire_bits / 8.0 / static_cast<double>(machine.link_period()) * 1e3;
  machine.kernel().on_window([&](Picoseconds now) { progress.time(now); });
  ranks.begin();
  return machine.run_everywhere([&](qmp::Transport& transport, int) {
    const qmp::Node node(transport);
    auto times = bench::message_times(sizes);
    if (!times.empty()) m.messages = std::move(times);
  });
}

void print_job(const RunOptions& o) {
  fmt::print(
      "hypertorus {}\nthe same solve: {}, even-odd CG to {}; weak field of {}, "
      "seed {}; node grid {}; bit error rate {}\n\n",
      version(), describe(o.fermions), o.tolerance, fmt::join(o.lattice, "x"), o.seed,
      fmt::join(o.nodes, "x"), o.errors.bit_error_rate);
  std::fflush(stdout);
}

}  // namespace

int compare_command(const CompareOptions& options, Session& session) {
  const std::atomic<bool>& stop = session.stop;
  check_distinct({{"--json", options.json}, {"--plot", options.plot, {".svg", ".png"}}});
  if (Ranks::reports()) session.results.open(options.json);
  session.results.add({{"verdict", "failed"}});
  if (!options.plot.empty() && Ranks::reports()) {
    require_gnuplot("--plot");
    check_writable(options.plot + ".svg");
  }
  Ranks& ranks = session.ranks;
  ProgressLine progress(options.quiet || !Ranks::reports());
  for (const RunOptions& run : options.runs) {
    const dirac::JobSpec spec = job_spec(run, progress);
    dirac::validate(spec);
    require_room(run, ranks);
    require_node_memory(run, spec);
  }
  if (Ranks::reports()) print_job(options.runs.front());

  dirac::JobSpec alone = job_spec(options.runs.front(), progress);
  alone.node_grid = {1};
  dirac::JobSink reference(alone);
  progress.stage("functional reference");
  run_functional(alone.node_grid, alone, reference, stop);

  Comparison comparison;
  for (const RunOptions& run : options.runs) {
    const std::string title = run.type->title();
    try {
      const dirac::JobSpec spec = job_spec(run, progress);
      const auto processor = processor_for(run, spec);
      ComparedMachine& m = comparison.machines.emplace_back();
      m.processor = processor->name();
      progress.stage(fmt::format("{}, the solve", title));
      m.run = solve(run, spec, reference, progress, ranks, stop);
      progress.stage(fmt::format("{}, messages between neighbours", title));
      if (m.run.interrupted ||
          !send_messages(m, options.message_sizes, processor->host_path(), progress, ranks, stop)) {
        progress.clear();
        session.results.add({{"verdict", "interrupted"}});
        ranks.end();
        if (Ranks::reports()) fmt::print("verdict: interrupted\n");
        return exit_interrupted;
      }
    } catch (const Error& e) {
      throw Error(e.exit_code(), fmt::format("{}: {}", title, e.what()));
    }
  }
  ranks.end();
  if (!Ranks::reports()) return static_cast<int>(ExitCode::Ok);
  progress.clear();
  print_comparison(comparison);
  session.results.add(comparison_document(comparison));
  if (!options.plot.empty()) draw_comparison(comparison, options.plot);
  if (!comparison.bit_exact()) return static_cast<int>(ExitCode::Mismatch);
  for (const ComparedMachine& m : comparison.machines) m.run.job.require_converged();
  return static_cast<int>(ExitCode::Ok);
}

}  // namespace ht::cli
