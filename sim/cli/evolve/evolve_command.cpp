// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/evolve/evolve_command.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <memory>

#include "sim/cli/common/machine_factory.hpp"
#include "sim/cli/common/ranks.hpp"
#include "sim/cli/evolve/evolve_result.hpp"
#include "sim/machine/solve.hpp"
#include "sim/output/distinct_files.hpp"
#include "sim/output/document.hpp"
#include "sim/output/exit_codes.hpp"
#include "sim/output/progress_line.hpp"
#include "sw/dirac/gauge/gauge_write.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/functional_machine.hpp"
#include "sw/qmp/node.hpp"

namespace ht::cli {
namespace {

void require_node_memory(const EvolveOptions& o) {
  constexpr double gbyte = 1 << 30;
  const double needed = bytes_of_node(o.spec) / gbyte, there = o.type->traits().node_gbytes;
  if (!o.rtl || there == 0 || needed <= there) return;
  throw UsageError(
      fmt::format("lattice {}: a node's part needs {:.1f} GB of memory, and one of {} has {} GB; "
                  "use more nodes or a smaller lattice",
                  dirac::to_string(o.spec.lattice), needed, o.type->title(), there));
}

/// What follows --save's name in those of the files with the field after a trajectory.
std::vector<std::string> saved_after(const dirac::EvolutionSpec& spec, int trajectory) {
  std::vector<std::string> endings;
  const int done = trajectory + 1 - spec.first;
  if (spec.save_every > 0 && done % spec.save_every == 0)
    endings.push_back(fmt::format(".{}", trajectory));
  if (done == spec.trajectories) endings.emplace_back();
  return endings;
}

/// All of them.
std::vector<std::string> saved(const dirac::EvolutionSpec& spec) {
  std::vector<std::string> endings;
  for (int t = spec.first; t < spec.first + spec.trajectories; ++t)
    std::ranges::move(saved_after(spec, t), std::back_inserter(endings));
  return endings;
}

void save(const EvolveOptions& o, const dirac::GlobalGauge& gauge, int trajectory) {
  for (const std::string& ending : saved_after(o.spec, trajectory))
    write_gauge_file(gauge, o.save + ending,
                     {.format = o.nersc ? dirac::GaugeFormat::Nersc : dirac::GaugeFormat::Ildg});
}

void run_functional(const std::vector<int>& grid, const dirac::EvolutionSpec& spec,
                    dirac::EvolutionSink& sink, const std::atomic<bool>& stop) {
  qmp::FunctionalOptions options;
  options.on_turn = [&stop] { check_stop(stop); };
  qmp::FunctionalMachine network(grid, options);
  network.run([&](qmp::Transport&) {
    dirac::FreeWork free;
    machine::run_evolution(spec, sink, free);
    return 0;
  });
}

void run_rtl(const EvolveOptions& o, dirac::EvolutionSink& sink, EvolveResult& result,
             ProgressLine& progress, const std::atomic<bool>& stop) {
  dirac::JobSpec shape;
  shape.lattice = o.spec.lattice;
  shape.node_grid = o.nodes;
  const auto processor = processor_for(o, shape);
  const Ranks alone;
  BuildRequirements requirements;
  requirements.host_path = processor->host_path();
  const auto built = build_machine(o, requirements, alone, stop);
  machine::Machine& machine = *built;
  machine.kernel().on_window([&](Picoseconds now) { progress.time(now); });
  const bool finished = machine.run_everywhere([&](qmp::Transport& transport, int /*number*/) {
    qmp::Node node(transport);
    machine::WorkCharge charge(*processor, transport.runtime());
    machine::run_evolution(o.spec, sink, charge);
  });
  result.interrupted = !finished;
  result.machine_time = machine.kernel().now();
  result.data_unit = machine.data_unit();
  if (finished) result.links = machine.report_links();
  result.errors = machine.close_ledgers();
  result.undetected = machine.say_undetected();
}

void compare(const dirac::EvolutionSink& reference, const dirac::EvolutionSink& sink,
             EvolveResult& r) {
  const auto& a = reference.gauge().links;
  const auto& b = sink.gauge().links;
  const auto* const from = reinterpret_cast<const char*>(a.data());
  const auto* const to = reinterpret_cast<const char*>(b.data());
  constexpr std::size_t word = sizeof(std::uint32_t);
  r.words_compared = a.size() * sizeof a[0] / word;
  for (std::size_t i = 0; i < r.words_compared; ++i)
    r.words_different += std::memcmp(from + i * word, to + i * word, word) != 0 ? 1 : 0;
  r.field_crc32 = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(b.data()), b.size() * sizeof b[0]));
  const auto& wanted = reference.result().trajectories;
  const auto& got = sink.result().trajectories;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const bool same = i < got.size() && got[i].delta_h == wanted[i].delta_h &&
                      got[i].accepted == wanted[i].accepted &&
                      got[i].iterations == wanted[i].iterations &&
                      got[i].plaquette.average() == wanted[i].plaquette.average();
    r.trajectories_different += same ? 0 : 1;
  }
}

}  // namespace

int evolve_command(EvolveOptions options, Session& session) {
  const std::atomic<bool>& stop = session.stop;
  const std::vector<std::string> endings = saved(options.spec);
  check_distinct({{"--save", options.save, endings}, {"--json", options.json}},
                 {{"--config", options.config}});
  session.results.open(options.json);
  session.results.add({{"verdict", "failed"}});
  dirac::EvolutionSpec& spec = options.spec;
  std::string field = describe(spec.field, spec.seed);
  if (!options.config.empty()) {
    spec.gauge = std::make_shared<dirac::GlobalGauge>(dirac::read_gauge_file(options.config));
    spec.lattice = spec.gauge->lattice;
    field = spec.gauge->description;
  }
  validate(spec);
  require_room(options, Ranks());
  require_node_memory(options);
  if (!options.save.empty())
    for (const std::string& ending : endings) check_writable(options.save + ending);
  ProgressLine progress(options.quiet);
  if (!options.quiet) {
    print_evolve_setup(options, field);
    std::fflush(stdout);
  }

  // One node is the strictest reference: it shares no communication with the run.
  dirac::EvolutionSpec alone = spec;
  alone.node_grid = {1};
  dirac::EvolutionSink reference(alone);
  reference.watch([&stop](const dirac::Trajectory&) { check_stop(stop); });
  progress.stage("functional reference");
  run_functional(alone.node_grid, alone, reference, stop);

  EvolveResult result;
  result.options = options;
  result.field = field;
  dirac::EvolutionSink sink(spec, [&](const dirac::GlobalGauge& gauge, int trajectory) {
    if (!options.save.empty()) save(options, gauge, trajectory);
  });
  sink.watch([&](const dirac::Trajectory& t) {
    if (!options.rtl) check_stop(stop);
    progress.clear();
    if (!options.quiet) print_trajectory(t);
    std::fflush(stdout);
  });
  progress.stage(options.rtl ? "simulating" : "functional network");
  const auto begin = std::chrono::steady_clock::now();
  if (options.rtl) {
    run_rtl(options, sink, result, progress, stop);
  } else {
    run_functional(options.nodes, spec, sink, stop);
  }
  result.wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  progress.clear();
  result.evolution = sink.result();
  if (!result.interrupted) compare(reference, sink, result);
  print_evolve_result(result);
  session.results.add(evolve_document(result));
  if (result.interrupted) return exit_interrupted;
  return static_cast<int>(result.bit_exact() ? ExitCode::Ok : ExitCode::Mismatch);
}

}  // namespace ht::cli
