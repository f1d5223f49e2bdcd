// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run/run_job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "sim/machine/gather.hpp"
#include "sim/output/exit_codes.hpp"
#include "sw/dirac/checkpoint.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/functional_machine.hpp"

namespace ht::cli {

dirac::JobSpec job_spec(const RunOptions& o, ProgressLine& progress) {
  dirac::JobSpec spec;
  spec.lattice = o.lattice;
  spec.node_grid = o.nodes;
  if (!o.config.empty()) {
    spec.gauge = std::make_shared<dirac::GlobalGauge>(dirac::read_gauge_file(o.config));
    spec.lattice = spec.gauge->lattice;
  }
  spec.field = *dirac::parse_field_kind(o.field);
  spec.seed = o.seed;
  spec.fermions = o.fermions;
  spec.boundary = o.boundary;
  spec.source = {o.source.gaussian, o.source.position, o.source.width, o.source.iterations};
  spec.columns = o.columns;
  spec.precision = o.single ? dirac::Precision::Single : dirac::Precision::Double;
  spec.solver = o.solver;
  spec.shifts = o.shifts;
  spec.tolerance = o.tolerance;
  spec.max_iterations = o.max_iterations;
  spec.sum = o.reproducible ? dirac::SumKind::Reproducible : dirac::SumKind::Fast;
  if (o.checkpoint > 0) {
    // What decides the bits of the solution.
    const std::string job =
        fmt::format("{} {} {} boundary {} source {} {} {} {} columns {} {} {} tolerance {}",
                    spec.gauge ? spec.gauge->description : o.field, o.seed, describe(o.fermions),
                    fmt::join(o.boundary, ","), o.source.gaussian,
                    fmt::join(o.source.position, ","), o.source.width, o.source.iterations,
                    o.columns, o.single ? "single" : "double", name(o.solver), o.tolerance) +
        fmt::format(" {}", fmt::join(spec.lattice, "x"));
    spec.checkpoints = std::make_shared<dirac::Checkpoints>(o.checkpoint_files, o.checkpoint, job);
  }
  spec.progress = [&progress](const dirac::Progress& p) { progress.solver(p); };
  return spec;
}

void require_node_memory(const RunOptions& o, const dirac::JobSpec& spec) {
  constexpr double gbyte = 1 << 30;
  const double needed = dirac::bytes_of_node(spec) / gbyte, there = o.type->traits().node_gbytes;
  if (there == 0 || needed <= there) return;
  throw UsageError(fmt::format(
      "lattice {}: a node's part needs {:.1f} GB of memory for {}, and one of {} has {} GB; use "
      "more "
      "nodes, a smaller lattice{}",
      fmt::join(spec.lattice, "x"), needed, describe(spec.fermions), o.type->title(), there,
      spec.fermions.fields() > 1 ? " or a smaller --Ls"
      : spec.shifts.size() > 1   ? " or fewer --shifts"
                                 : ""));
}

void run_functional(const std::vector<int>& grid, const dirac::JobSpec& spec, dirac::JobSink& sink,
                    const std::atomic<bool>& stop) {
  qmp::FunctionalOptions options;
  options.on_turn = [&stop] { check_stop(stop); };
  qmp::FunctionalMachine network(grid, options);
  dirac::JobSpec stoppable = spec;
  stoppable.progress = [&stop, &spec](const dirac::Progress& p) {
    check_stop(stop);
    if (spec.progress) spec.progress(p);
  };
  network.run([&](qmp::Transport&) {
    dirac::FreeWork free;
    machine::run_job(stoppable, sink, free);
    return 0;
  });
  if (const auto common = sink.common()) common->require_sources();
}

namespace {

using Json = nlohmann::json;

// But for what merge() makes whole.
Json to_json(const dirac::JobResult& r) {
  Json columns = Json::array();
  for (const dirac::ColumnResult& c : r.columns)
    columns.push_back({c.colour, c.spin, c.shift, c.source_norm2, c.iterations, c.updates,
                       c.converged, c.true_residual, c.solver_residual, c.history});
  return {r.field,
          r.lattice,
          r.node_grid,
          r.local_lattice,
          r.plaquette.space_time,
          r.plaquette.space_space,
          r.link_trace,
          columns,
          r.correlator,
          r.solve_flops};
}

dirac::JobResult from_json(const Json& j) {
  dirac::JobResult r;
  j[0].get_to(r.field);
  j[1].get_to(r.lattice);
  j[2].get_to(r.node_grid);
  j[3].get_to(r.local_lattice);
  j[4].get_to(r.plaquette.space_time);
  j[5].get_to(r.plaquette.space_space);
  j[6].get_to(r.link_trace);
  for (const Json& c : j[7])
    r.columns.push_back({c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9]});
  j[8].get_to(r.correlator);
  j[9].get_to(r.solve_flops);
  return r;
}

}  // namespace

void merge_sink(sim::RankExchange* ranks, dirac::JobSink& sink) {
  if (ranks == nullptr) return;
  sink.merge([&](std::span<std::byte> part) { ranks->merge(part); });
  const auto own = sink.common();
  Json mine = Json::array();
  if (own) mine.push_back(to_json(*own));
  const Json all = machine::gather_lists(ranks, std::move(mine));
  if (!own && !all.empty()) sink.put_common(from_json(all[0]));
}

void compare(const dirac::JobSink& reference, const dirac::JobSink& sink, RunResult& result) {
  const auto& a = reference.solution();
  const auto& b = sink.solution();
  constexpr std::size_t word = sizeof(std::uint32_t);
  result.words_compared = a.size() / word;
  for (std::size_t i = 0; i < result.words_compared; ++i) {
    if (b.size() != a.size() || std::memcmp(&a[i * word], &b[i * word], word) != 0)
      ++result.words_different;
  }
}

}  // namespace ht::cli
