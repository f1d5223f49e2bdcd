// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>

#include "sim/cli/common/machine_factory.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/report/report_library.hpp"
#include "sim/cli/run/report.hpp"
#include "sim/cli/run/run_job.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sim/cli/run/run_machine.hpp"
#include "sim/cli/run/run_partitions.hpp"
#include "sim/cli/run/run_result.hpp"
#include "sim/cli/run/trace_event.hpp"
#include "sim/machine/trace.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/document.hpp"
#include "sim/output/exit_codes.hpp"
#include "sw/dirac/checkpoint.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/solution.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/held_file.hpp"

namespace ht::cli {
namespace {

// Also of a run that went wrong: then it is most wanted.
void save_solution(const dirac::JobSpec& spec, const dirac::JobSink& sink,
                   const RunResult& result) {
  const RunOptions& o = result.options;
  const auto& b = spec.boundary;
  // No machine and no node grid: solutions that agree are files that agree.
  const std::string run =
      fmt::format("{}, {}, boundary {},{},{},{}, {} source, tolerance {}", result.job.field,
                  describe(spec.fermions), b[0], b[1], b[2], b[3],
                  o.source.gaussian ? "Gaussian" : "point", spec.tolerance);
  dirac::Solution solution{.lattice = spec.lattice,
                           .precision = spec.precision,
                           .columns = spec.columns * dirac::solutions_of_column(spec),
                           .spins = spec.fermions.staggered() ? 1 : 4,
                           .shifts = dirac::solutions_of_column(spec),
                           .data = sink.solution(),
                           .description = run,
                           .verified = {},
                           .labels = {}};
  dirac::write_solution(solution, o.save_solution);
}

// Those that are written after an event may be any node's.
void check_waves(const RunOptions& o) {
  if (o.trace.empty()) return;
  const std::vector<int> first_node{0};
  for (const int node : o.trace_nodes.empty() ? first_node : o.trace_nodes)
    machine::NodeTrace::check_writable(o.trace, node);
}

// Those that one process writes.
void check_files(const RunOptions& o, const ReportLibrary* report) {
  if (!o.save_solution.empty()) check_writable(o.save_solution);
  if (!o.ethernet_pcap.empty()) host::check_free(o.ethernet_pcap, "run");
  if (!o.pcap.empty()) host::check_free(o.pcap + ".pcapng", "run");
  if (!o.timeline.empty()) host::check_free(o.timeline, "run");
  if (report != nullptr) report->check_writable(o.report);
}

void note_loss(RunResult& result, const machine::LossReport& report) {
  result.losses = report;
  result.time_before += result.machine_time;
  result.continued.reset();
}

// On what is left of the machine, from the last checkpoint that all nodes have.
void go_on(const machine::LossReport& lost, dirac::JobSpec& spec, RunResult& result) {
  RunOptions& o = result.options;
  const int nodes = machine::node_count(o.nodes);
  const bool found = spec.checkpoints->read(nodes);
  if (!result.asked) result.asked = o;
  static_cast<machine::MachineOptions&>(o) = o.type->without(o, lost.gone);
  // Waves and packets are those of the nodes that there still are.
  const int left = machine::node_count(o.machine);
  std::erase_if(o.trace_nodes, [left](int node) { return node >= left; });
  std::erase_if(o.pcap_links, [left](const PortChoice& port) { return port.node >= left; });
  spec.node_grid = o.nodes;
  dirac::validate(spec);
  RunResult::Continued continued;
  if (found) {
    continued.column = spec.checkpoints->found()->solver.column;
    continued.iteration = spec.checkpoints->found()->solver.iterations();
  }
  continued.machine = o.machine;
  continued.nodes = o.nodes;
  result.continued = continued;
  if (o.quiet || !Ranks::reports()) return;
  fmt::print("lost           {}\n", lost.text());
  fmt::print("goes on        from iteration {} of column {}, on {} of {} nodes\n\n",
             continued.iteration, continued.column, fmt::join(o.nodes, "x"), nodes);
  std::fflush(stdout);
}

std::vector<NamedFile> written_files(const RunOptions& o) {
  std::vector<std::string> waves, checkpoints;
  for (int node = 0; node < machine::node_count(o.nodes); ++node) {
    if (!o.trace.empty())
      for (const char* kind : {"fst", "gtkw"})
        waves.push_back(fmt::format(".node{}.{}", node, kind));
    if (o.checkpoint > 0)
      for (const int set : {0, 1}) checkpoints.push_back(fmt::format(".node{}.{}", node, set));
  }
  std::vector<NamedFile> files{
      {"--json", o.json},
      {"--save-solution", o.save_solution},
      {"--ethernet-pcap", o.ethernet_pcap},
      {"--pcap", o.pcap, {".pcapng"}},
      {"--timeline", o.timeline},
      {"--report", o.report},
      {"--trace", o.trace, waves},
      {"--checkpoint-files", o.checkpoint > 0 ? o.checkpoint_files : "", checkpoints}};
  if (!o.report.empty()) {
    for (const char* figure : report_figures)
      files.push_back({"--report", report_figure_file(o.report, figure)});
  }
  return files;
}

}  // namespace

int run_command(const RunOptions& options, Session& session) {
  check_distinct(written_files(options), {{"--config", options.config}});
  if (options.partitions > 1) return run_partitions(options, session);
  const std::atomic<bool>& stop = session.stop;
  if (Ranks::reports()) session.results.open(options.json);
  session.results.add({{"options", options_json(options)}, {"verdict", "failed"}});
  const ReportLibrary* const report = options.report.empty() ? nullptr : report_library();
  if (Ranks::reports()) check_files(options, report);
  check_waves(options);
  Ranks& ranks = session.ranks;
  ProgressLine progress(options.quiet || !Ranks::reports());
  dirac::JobSpec spec = job_spec(options, progress);
  dirac::validate(spec);
  if (spec.checkpoints) spec.checkpoints->remove(machine::node_count(options.nodes));
  progress.expect_columns(spec.columns);
  require_room(options, ranks);
  if (options.rtl) require_node_memory(options, spec);
  if (!options.quiet && Ranks::reports()) print_setup(options, spec);
  std::fflush(stdout);

  // One node is the strictest reference: it shares no communication with the run. Fast sums depend
  // on the node grid, so there the reference has the run's own.
  dirac::JobSpec reference_spec = spec;
  reference_spec.checkpoints.reset();
  if (options.reproducible) reference_spec.node_grid = {1};
  dirac::JobSink reference(reference_spec);
  progress.stage("functional reference");
  run_functional(reference_spec.node_grid, reference_spec, reference, stop);

  RunResult result;
  result.options = options;
  auto sink = std::make_unique<dirac::JobSink>(spec);
  const auto begin = std::chrono::steady_clock::now();
  const auto note_time = [&] {
    result.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  progress.stage(options.rtl ? "simulating" : "functional network");
  if (options.rtl) {
    for (bool again = true; again;) {
      again = false;
      try {
        run_machine(spec, *sink, result, progress, ranks, stop);
      } catch (const machine::LossError& e) {
        note_loss(result, e.report());
        note_time();
        session.results.add(run_document(result));
        if (options.checkpoint == 0) throw;
        progress.clear();
        try {
          go_on(e.report(), spec, result);
        } catch (const UsageError& why) {
          throw machine::LossError(e.report(), why.what());
        }
        sink = std::make_unique<dirac::JobSink>(spec);
        again = true;
      } catch (const Error&) {
        result.failed = true;
        note_time();
        session.results.add(run_document(result));
        if (!ranks.together()) throw;
        progress.clear();
        if (Ranks::reports()) print_failure(result);
        result.waves = find_window(result, nullptr);
        if (!result.waves) throw;
        if (Ranks::reports())
          fmt::print(stderr,
                     "hypertorus: the run failed; repeating it up to the first {} for waves\n",
                     name(options.trace_on));
        repeat_with_waves(spec, result, progress, ranks, stop, true);
        ranks.end();  // all processes have it
        throw;
      }
    }
  } else {
    run_functional(options.nodes, spec, *sink, stop);
  }
  note_time();
  if (!result.interrupted) {
    result.job = sink->result();
    compare(reference, *sink, result);
    const dirac::JobResult expected = reference.result();
    result.waves = find_window(result, &expected);
    if (result.waves) repeat_with_waves(spec, result, progress, ranks, stop, false);
  } else if (result.stopped) {
    result.waves = find_window(result, nullptr);
    if (result.waves) repeat_with_waves(spec, result, progress, ranks, stop, false);
  }
  ranks.end();
  if (!Ranks::reports()) return static_cast<int>(ExitCode::Ok);
  progress.clear();
  print_result(result);
  session.results.add(run_document(result));
  if (!options.save_solution.empty() && !result.interrupted) save_solution(spec, *sink, result);
  if (report != nullptr) report->write(result, options.report);
  if (result.interrupted) return exit_interrupted;
  // Of damaged numbers a solver makes nothing.
  if (result.errors.undetected == 0) result.job.require_converged();
  return static_cast<int>(result.bit_exact() ? ExitCode::Ok : ExitCode::Mismatch);
}

}  // namespace ht::cli
