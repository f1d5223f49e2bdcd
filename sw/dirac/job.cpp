// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/job.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

#include "sw/host/errors.hpp"

namespace ht::dirac {

void validate(const JobSpec& spec) {
  checked_grid(spec.lattice, spec.node_grid);
  if (spec.gauge && spec.gauge->lattice != spec.lattice) {
    throw UsageError(
        fmt::format("the configuration holds a {} lattice, the run is on {}; leave the "
                    "lattice option out",
                    to_string(spec.gauge->lattice), to_string(spec.lattice)));
  }
  if (spec.solver == SolverKind::EvenOdd) {
    for (const int extent : spec.lattice) {
      if (extent % 2 != 0) {
        throw UsageError(
            fmt::format("lattice {}: even-odd preconditioning needs even extents; use "
                        "the full solver or another lattice",
                        to_string(spec.lattice)));
      }
    }
  }
  if (!std::isfinite(spec.kappa) || spec.kappa <= 0) {
    throw UsageError(fmt::format("kappa {}: must be a number above 0, as 0.11", spec.kappa));
  }
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
  if (spec.columns < 1 || spec.columns > 12) {
    throw UsageError(fmt::format("columns {}: a propagator has 1 to 12", spec.columns));
  }
  if (!std::isfinite(spec.tolerance) || spec.tolerance <= 0 || spec.tolerance >= 1) {
    throw UsageError(
        fmt::format("tolerance {}: must lie between 0 and 1, as 1e-12", spec.tolerance));
  }
  if (spec.max_iterations < 1) {
    throw UsageError(fmt::format("{} iterations at most: allow at least 1", spec.max_iterations));
  }
}

bool JobResult::converged() const {
  return std::all_of(columns.begin(), columns.end(),
                     [](const ColumnResult& c) { return c.converged; });
}

void JobResult::require_converged() const {
  for (const ColumnResult& c : columns) {
    if (c.converged) continue;
    throw NotConvergedError(fmt::format(
        "colour {} spin {}: not converged after {} iterations, |r|^2 = {:.3g}; allow more "
        "iterations, a larger tolerance, or choose a smaller kappa",
        c.colour, c.spin, c.iterations, c.history.empty() ? NAN : c.history.back()));
  }
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
      site_bytes_(24 * (spec.precision == Precision::Double ? sizeof(double) : sizeof(float))),
      solution_(static_cast<std::size_t>(spec.columns * volume_) * site_bytes_) {}

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
