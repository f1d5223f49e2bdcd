// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/job.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "sw/host/errors.hpp"

namespace ht::dirac {

namespace {

void require(bool good, std::string what) {
  if (!good) throw UsageError(std::move(what));
}

void validate_operator(const JobSpec& spec) {
  const OperatorChoice& f = spec.fermions;
  const std::string_view name = to_string(f.kind);
  const bool hopping_parameter = f.kind == OperatorKind::Wilson || f.kind == OperatorKind::Clover;
  require(!hopping_parameter || (std::isfinite(f.kappa) && f.kappa > 0),
          fmt::format("kappa {}: must be a number above 0, as 0.11", f.kappa));
  require(f.kind != OperatorKind::Clover || std::isfinite(f.csw),
          fmt::format("csw {}: must be a number, as 1", f.csw));
  require(!f.staggered() || (std::isfinite(f.mass) && f.mass > 0),
          fmt::format("mass {}: {} fermions need one above 0, as 0.1", f.mass, name));
  require(f.kind != OperatorKind::Asqtad || (std::isfinite(f.u0) && f.u0 > 0),
          fmt::format("u0 {}: must be a number above 0; 1 leaves tadpoles out", f.u0));
  if (f.kind == OperatorKind::DomainWall) {
    require(std::isfinite(f.mass) && f.mass >= 0 && f.mass < 1,
            fmt::format("mass {}: domain walls need one from 0, below 1, as 0.1", f.mass));
    require(f.length >= 1 && f.length <= 1024,
            fmt::format("Ls {}: the fifth dimension has 1 to 1024 sites, as 8", f.length));
    require(std::isfinite(f.m5) && f.m5 > 0 && f.m5 < 5,
            fmt::format("M5 {}: must lie between 0 and 5, as 1.8", f.m5));
  }
}

void validate_solver(const JobSpec& spec) {
  const SolverKind solver = spec.solver;
  require(solver != SolverKind::Full || spec.fermions.kind == OperatorKind::Wilson,
          fmt::format("the full solver is for Wilson's matrix; take the even-odd one for {}",
                      to_string(spec.fermions.kind)));
  const bool in_double = solver == SolverKind::MultiShift || solver == SolverKind::Mixed;
  require(!in_double || spec.precision == Precision::Double,
          "multi-shift and mixed solvers solve in double; leave single precision out");
  require(spec.shifts.empty() || solver == SolverKind::MultiShift,
          "shifts are for the multi-shift solver; choose it, or leave them out");
  require(solver != SolverKind::MultiShift || (!spec.shifts.empty() && spec.shifts.size() <= 64),
          "the multi-shift solver needs 1 to 64 shifts, as 0,0.01,0.1");
  for (const double shift : spec.shifts)
    require(std::isfinite(shift) && shift >= 0,
            fmt::format("shift {}: must be a number from 0", shift));
  require(!spec.checkpoints || (solver != SolverKind::MultiShift && solver != SolverKind::Mixed &&
                                !spec.fermions.staggered() && spec.fermions.fields() == 1),
          "checkpoints are for the even-odd and full solvers of Wilson and clover; leave them out");
}

}  // namespace

void validate(const JobSpec& spec) {
  const Coordinates grid = checked_grid(spec.lattice, spec.node_grid);
  if (spec.gauge && spec.gauge->lattice != spec.lattice) {
    throw UsageError(
        fmt::format("the configuration holds a {} lattice, the run is on {}; leave the "
                    "lattice option out",
                    to_string(spec.gauge->lattice), to_string(spec.lattice)));
  }
  validate_operator(spec);
  validate_solver(spec);
  if (spec.solver != SolverKind::Full) {
    for (const int extent : spec.lattice) {
      if (extent % 2 != 0) {
        throw UsageError(
            fmt::format("lattice {}: even-odd preconditioning needs even extents; use {}another "
                        "lattice",
                        to_string(spec.lattice),
                        spec.fermions.kind == OperatorKind::Wilson ? "the full solver or " : ""));
      }
    }
  }
  validate_local(spec, grid);
  for (const double factor : spec.boundary) {
    if (!std::isfinite(factor)) {
      throw UsageError("boundary: give four numbers, as 1,1,1,-1");
    }
  }
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const int x = spec.source.position[axis];
    if (x < 0 || x >= spec.lattice[axis]) {
      throw UsageError(
          fmt::format("source: its {} coordinate {} lies outside of the {} lattice; "
                      "coordinates count from 0",
                      "xyzt"[axis], x, to_string(spec.lattice)));
    }
  }
  if (spec.source.gaussian &&
      (!std::isfinite(spec.source.width) || spec.source.width <= 0 || spec.source.iterations < 1)) {
    throw UsageError(
        fmt::format("source: width {} and {} iterations; both must be above 0, as in "
                    "gaussian:0,0,0,6:2.0:5",
                    spec.source.width, spec.source.iterations));
  }
  if (spec.columns < 1 || spec.columns > spec.fermions.columns()) {
    throw UsageError(
        fmt::format("columns {}: a propagator has 1 to {}", spec.columns, spec.fermions.columns()));
  }
  if (!std::isfinite(spec.tolerance) || spec.tolerance <= 0 || spec.tolerance >= 1) {
    throw UsageError(
        fmt::format("tolerance {}: must lie between 0 and 1, as 1e-12", spec.tolerance));
  }
  if (spec.max_iterations < 1) {
    throw UsageError(fmt::format("{} iterations at most: allow at least 1", spec.max_iterations));
  }
}

void validate_local(const JobSpec& spec, const Coordinates& grid) {
  if (spec.fermions.kind != OperatorKind::Asqtad) return;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const int sites = spec.lattice[axis] / grid[axis];
    require(grid[axis] == 1 || sites >= 3,
            fmt::format("lattice {}: Naik's term reaches three sites, and a node has {} along {}; "
                        "use fewer nodes there or a longer lattice",
                        to_string(spec.lattice), sites, "xyzt"[axis]));
  }
}

double bytes_of_node(const JobSpec& spec) {
  const OperatorChoice& f = spec.fermions;
  const double real = spec.precision == Precision::Double ? sizeof(double) : sizeof(float);
  constexpr double link = 18;
  // Real numbers a site in double, whatever the run's precision is, and in that: the hopping term
  // has each link twice.
  double in_double = 4 * link, own = f.staggered() ? 0 : 8 * link;
  switch (f.kind) {
    case OperatorKind::Wilson:
    case OperatorKind::DomainWall:
      break;
    case OperatorKind::Clover:
      in_double += 6 * link;  // the field strength
      own += 2 * 72;          // the term and its inverse
      break;
    case OperatorKind::Staggered:
      in_double += 12 * link;  // links of the hops, forwards and back
      own += 8 * link;
      break;
    case OperatorKind::Asqtad:
      in_double += 24 * link;
      own += 16 * link;
      break;
  }
  // Whole vectors: source, solution, the quark; and halves: right-hand side, x, r, p, M p, M^dagger
  // M p, what is between the two hops. Further systems have a solution and a direction each.
  const double vector = static_cast<double>(f.site_reals()) * f.fields();
  double vectors = 3 + 7.0 / 2;
  if (spec.solver == SolverKind::Full) vectors = 3 + 6;
  if (spec.solver == SolverKind::MultiShift) vectors += static_cast<double>(spec.shifts.size());
  own += vectors * vector;
  if (spec.solver == SolverKind::Mixed) own += own / 2;
  double sites = 1;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const int nodes = axis < spec.node_grid.size() ? spec.node_grid[axis] : 1;
    sites *= static_cast<double>(spec.lattice[axis]) / nodes;
  }
  return sites * (in_double * sizeof(double) + own * real);
}

int solutions_of_column(const JobSpec& spec) {
  return spec.solver == SolverKind::MultiShift ? static_cast<int>(spec.shifts.size()) : 1;
}

bool JobResult::converged() const {
  return std::all_of(columns.begin(), columns.end(),
                     [](const ColumnResult& c) { return c.converged; });
}

void JobResult::require_sources() const {
  for (const ColumnResult& c : columns) {
    if (!std::isfinite(c.source_norm2))
      throw UsageError(
          fmt::format("the source's |b|^2 is {}: its numbers grew too large; choose a smaller "
                      "width, or fewer iterations of its smearing",
                      c.source_norm2));
  }
}

void JobResult::require_converged() const {
  for (const ColumnResult& c : columns) {
    if (c.converged) continue;
    if (c.iterations == 0)
      throw NotConvergedError(fmt::format(
          "colour {} spin {}: not solved: the numbers grew so large or small that |r|^2 is {}, and "
          "the solution's residual {:.3g}; choose parameters of the operator that are nearer to 1",
          c.colour, c.spin, c.history.empty() ? NAN : c.history.front(),
          std::fabs(c.true_residual)));
    throw NotConvergedError(fmt::format(
        "colour {} spin {}: not converged after {} iterations, |r|^2 = {:.3g}; allow a "
        "larger tolerance, more iterations if these were all, or a smaller kappa or a larger mass",
        c.colour, c.spin, c.iterations, c.history.empty() ? NAN : c.history.back()));
  }
}

double JobResult::worst_residual() const {
  double worst = 0;
  for (const ColumnResult& c : columns) {
    if (!(c.true_residual <= worst)) worst = c.true_residual;
    if (std::isnan(worst)) break;
  }
  return worst;
}

double JobResult::solve_seconds() const {
  double slowest = 0;
  for (const NodeTimes& t : nodes) slowest = std::max(slowest, t.solve);
  return slowest;
}

std::array<double, kPhases> JobResult::mean_split() const {
  std::array<double, kPhases> mean{};
  for (const NodeTimes& t : nodes) {
    for (std::size_t p = 0; p < mean.size(); ++p)
      mean[p] += t.split[p] / static_cast<double>(nodes.size());
  }
  return mean;
}

double JobResult::sustained_gflops() const {
  const double seconds = solve_seconds();
  return seconds > 0 ? solve_flops / seconds * 1e-9 / static_cast<double>(nodes.size()) : 0;
}

JobSink::JobSink(const JobSpec& spec)
    : volume_(volume_of(spec.lattice)),
      site_bytes_(static_cast<std::size_t>(spec.fermions.site_reals()) *
                  (spec.precision == Precision::Double ? sizeof(double) : sizeof(float))),
      solution_(static_cast<std::size_t>(spec.columns * solutions_of_column(spec) * volume_) *
                site_bytes_),
      times_(static_cast<std::size_t>(
          std::accumulate(spec.node_grid.begin(), spec.node_grid.end(), 1, std::multiplies<>()))) {}

void JobSink::put_solution(int column, std::int64_t global_site, const void* site) {
  const auto index = static_cast<std::size_t>(column * volume_ + global_site);
  const std::lock_guard lock(mutex_);
  if (index >= solution_.size() / site_bytes_) throw std::out_of_range("JobSink::put_solution");
  std::memcpy(solution_.data() + index * site_bytes_, site, site_bytes_);
}

void JobSink::put_common(JobResult result) {
  const std::lock_guard lock(mutex_);
  common_ = std::move(result);
  have_common_ = true;
}

std::optional<JobResult> JobSink::common() const {
  const std::lock_guard lock(mutex_);
  return have_common_ ? std::optional(common_) : std::nullopt;
}

void JobSink::put_times(int node, int nodes, const NodeTimes& times) {
  const std::lock_guard lock(mutex_);
  times_.resize(static_cast<std::size_t>(nodes));
  times_.at(static_cast<std::size_t>(node)) = times;
}

void JobSink::merge(const std::function<void(std::span<std::byte>)>& merge) {
  const std::lock_guard lock(mutex_);
  merge(solution_);
  merge(std::as_writable_bytes(std::span(times_)));
}

JobResult JobSink::result() const {
  const std::lock_guard lock(mutex_);
  if (!have_common_) throw std::logic_error("the job has not run to its end");
  JobResult result = common_;
  result.nodes = times_;
  result.solution_crc32 = static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const Bytef*>(solution_.data()), solution_.size()));
  return result;
}

}  // namespace ht::dirac
