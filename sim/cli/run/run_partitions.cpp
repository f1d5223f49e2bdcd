// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_partitions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <chrono>
#include <memory>
#include <utility>

#include "sim/cli/common/machine_factory.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/run/report.hpp"
#include "sim/cli/run/run_job.hpp"
#include "sim/cli/run/run_json.hpp"
#include "sim/output/exit_codes.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/node.hpp"

namespace ht::cli {
namespace {

/// One partition's job: what it is, what comes out of it, what it must be.
struct Job {
  dirac::JobSpec spec;
  std::unique_ptr<dirac::JobSink> sink, reference;
  RunResult result;
  int exit_code = static_cast<int>(ExitCode::Ok);
};

void check_options(const RunOptions& o) {
  const std::pair<bool, const char*> refused[] = {
      {!o.report.empty(), "--report"},      {!o.save_solution.empty(), "--save-solution"},
      {!o.trace.empty(), "--trace"},        {!o.pcap.empty(), "--pcap"},
      {o.window_report, "--window-report"}, {o.stop_at != sim::kNever, "--stop-at"},
      {o.ethernet, "--load ethernet"},      {o.console, "--console"}};
  for (const auto& [given, option] : refused) {
    if (given)
      throw UsageError(fmt::format(
          "{} is for one job: leave it out, or run without --partition on as many nodes", option));
  }
}

Job make_job(const RunOptions& options, int partition, ProgressLine& progress,
             const std::atomic<bool>& stop) {
  Job job;
  job.result.options = options;
  RunOptions& o = job.result.options;
  o.nodes = o.job_nodes;
  o.seed += static_cast<std::uint64_t>(partition);
  job.spec = job_spec(o, progress);
  dirac::validate(job.spec);
  require_node_memory(o, job.spec);
  dirac::JobSpec reference = job.spec;
  if (o.reproducible) reference.node_grid = {1};
  job.reference = std::make_unique<dirac::JobSink>(reference);
  progress.stage(fmt::format("functional reference of partition {}", partition));
  run_functional(reference.node_grid, reference, *job.reference, stop);
  job.sink = std::make_unique<dirac::JobSink>(job.spec);
  return job;
}

void print_heading(const machine::Machine& machine, int partition) {
  std::vector<int> nodes;
  for (int n = 0; n < machine.size(); ++n) {
    if (machine.partition_of(n) == partition) nodes.push_back(n);
  }
  fmt::print("\npartition {}    nodes {}\n", partition, fmt::join(nodes, ", "));
}

// What the machine counted, of the links and cables of one partition.
void collect(Job& job, int partition, machine::Machine& machine,
             const std::vector<machine::LinkReport>& links) {
  for (const machine::LinkReport& l : links) {
    if (machine.partition_of(l.from) == partition) job.result.links.push_back(l);
  }
  job.result.data_unit = machine.data_unit();
  job.result.errors = machine.partition_errors(partition);
  job.result.undetected = machine.say_undetected(partition);
  job.result.machine_time = machine.kernel().now();
  job.result.statistics = machine.statistics();
}

// "bit-exact" if that is every partition's, or the first that is another.
nlohmann::ordered_json verdict_of(const nlohmann::ordered_json& documents) {
  for (const auto& document : documents) {
    if (document["verdict"] != "bit-exact") return document["verdict"];
  }
  return "bit-exact";
}

}  // namespace

int run_partitions(const RunOptions& options, Session& session) {
  const std::atomic<bool>& stop = session.stop;
  check_options(options);
  if (Ranks::reports()) session.results.open(options.json);
  session.results.add({{"options", options_json(options)}, {"verdict", "failed"}});
  ProgressLine progress(options.quiet || !Ranks::reports());
  std::vector<Job> jobs;
  for (int p = 0; p < options.partitions; ++p) jobs.push_back(make_job(options, p, progress, stop));
  progress.clear();
  if (!options.quiet && Ranks::reports()) {
    print_setup(options, jobs[0].spec);
    std::fflush(stdout);
  }

  const auto processor = processor_for(options, jobs[0].spec);
  Ranks& ranks = session.ranks;
  BuildRequirements requirements;
  requirements.host_path = processor->host_path();
  const auto built = build_machine(options, requirements, ranks, stop);
  machine::Machine& machine = *built;
  machine.kernel().on_window([&](Picoseconds now) { progress.time(now); });
  progress.stage("simulating all partitions");
  ranks.begin();
  const auto begin = std::chrono::steady_clock::now();
  bool finished = false;
  const auto errors = machine.run_partitions(
      [&](qmp::Transport& transport, int number) {
        Job& job = jobs[static_cast<std::size_t>(machine.partition_of(number))];
        const qmp::Node node(transport);
        machine::WorkCharge charge(*processor, transport.runtime());
        machine::run_job(job.spec, *job.sink, charge);
      },
      &finished);
  const double wall =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  std::vector<machine::LinkReport> links;
  if (finished) links = machine.report_links();
  machine.close_ledgers();
  for (int p = 0; p < options.partitions; ++p) {
    Job& job = jobs[static_cast<std::size_t>(p)];
    collect(job, p, machine, links);
    merge_sink(ranks.exchange(), *job.sink);
  }
  ranks.end();
  if (!Ranks::reports()) return static_cast<int>(ExitCode::Ok);
  progress.clear();

  nlohmann::ordered_json documents = nlohmann::ordered_json::array();
  for (int p = 0; p < options.partitions; ++p) {
    Job& job = jobs[static_cast<std::size_t>(p)];
    RunResult& r = job.result;
    r.interrupted = !finished;
    r.wall_seconds = wall;
    r.peak_gflops = processor->peak_flops(options.single ? 4 : 8) * 1e-9;
    print_heading(machine, p);
    std::fflush(stdout);
    try {
      if (errors[static_cast<std::size_t>(p)])
        std::rethrow_exception(errors[static_cast<std::size_t>(p)]);
      if (finished) {
        r.job = job.sink->result();
        compare(*job.reference, *job.sink, r);
      }
      print_result(r);
      documents.push_back(run_document(r));
      if (finished && r.errors.undetected == 0) r.job.require_converged();
      job.exit_code = r.interrupted   ? exit_interrupted
                      : r.bit_exact() ? static_cast<int>(ExitCode::Ok)
                                      : static_cast<int>(ExitCode::Mismatch);
    } catch (const Error& e) {
      fmt::print(stderr, "hypertorus: partition {}: {}\n", p, e.what());
      if (static_cast<int>(documents.size()) == p)
        documents.push_back({{"verdict", "failed"}, {"error", e.what()}});
      job.exit_code = static_cast<int>(e.exit_code());
    }
  }
  session.results.add({{"verdict", verdict_of(documents)}, {"partitions", documents}});
  for (const Job& job : jobs) {
    if (job.exit_code != 0) return job.exit_code;
  }
  return 0;
}

}  // namespace ht::cli
