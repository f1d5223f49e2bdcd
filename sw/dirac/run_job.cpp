// SPDX-License-Identifier: Apache-2.0
// The program that every node runs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <stdexcept>
#include <type_traits>

#include "sw/dirac/checkpoint.hpp"
#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/node.hpp"
#include "sw/dirac/positive_solver.hpp"
#include "sw/dirac/source.hpp"
#include "sw/dirac/system/system.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/qmp.h"

namespace ht::dirac {
namespace {

/// The real numbers of a site in the order of JobSink::solution().
template <class T>
std::array<T, 24> numbers_of(const Spinor<T>& psi) {
  std::array<T, 24> out;
  auto to = out.begin();
  for (int spin = 0; spin < 4; ++spin) {
    for (int colour = 0; colour < 3; ++colour) {
      for (int part = 0; part < 2; ++part) *to++ = psi.at(spin, colour, part);
    }
  }
  return out;
}

template <class T>
std::array<T, 6> numbers_of(const ColourVector<T>& chi) {
  std::array<T, 6> out;
  std::memcpy(out.data(), &chi, sizeof out);
  return out;
}

/// What is left to do once the field is there, in the precision of the run. `single` is the same
/// system in single precision, where the solver needs it.
template <class T, template <class> class Site>
class Run {
 public:
  using Field = FermionField<T, Site>;

  Run(const SystemParts& parts, System<T, Site>& system, System<float, Site>* single, JobSink& sink)
      : parts_(parts),
        spec_(parts.spec),
        geometry_(parts.geometry),
        clock_(parts.clock),
        system_(system),
        single_(single),
        sink_(sink),
        correlator_(static_cast<std::size_t>(parts.geometry.lattice()[3]), parts.reduce.local()) {}

  /// Solves the columns one after the other; stops at the first that does not converge.
  void columns(JobResult& result) {
    ColourField<double> colours;
    int first = 0;
    const int spins = spec_.fermions.columns() / 3;
    if (spec_.checkpoints && spec_.checkpoints->found()) first = go_on(result);
    for (int column = first; column < spec_.columns; ++column) {
      const int colour = column / spins, spin = column % spins;
      if (spin == 0 || colours.empty())
        colours = colour_source(geometry_, parts_.links, spec_.source, colour, clock_);
      const Field source = system_.source(colours, spin);
      ColumnResult out{.colour = colour, .spin = spin, .history = {}};
      out.source_norm2 = system_.linear().norm2(source);
      if (!std::isfinite(out.source_norm2)) {
        out.solver_residual = out.true_residual = std::numeric_limits<double>::quiet_NaN();
        result.columns.push_back(out);
        break;
      }
      if (spec_.solver == SolverKind::MultiShift) {
        if (!solve_shifts(column, source, out, result)) break;
        continue;
      }
      const Field solution = solve_column(column, source, out);
      refuse_nothing(out);
      result.columns.push_back(out);
      // Those that a checkpoint has were done before, as its columns were.
      const int before = column == first ? first_iteration() : 0;
      result.solve_flops += iteration_flops() * (out.iterations - before);
      finish(column, solution);
      if (spec_.checkpoints) {
        done_.columns.push_back(out);
        done_.solutions.push_back(bytes_of(solution, 0));
      }
      if (!out.converged) break;
    }
    if (spec_.solver != SolverKind::MultiShift)
      result.correlator = parts_.reduce(std::span(correlator_));
  }

  const NodeTimes& times() const { return times_; }

 private:
  /// Of the column that a solve goes on with; 0 if it begins.
  int first_iteration() const {
    if (!spec_.checkpoints || !spec_.checkpoints->found()) return 0;
    return spec_.checkpoints->found()->solver.iterations();
  }

  /// Sites that the solver iterates on, over all nodes.
  double solver_sites() const {
    const double sites = static_cast<double>(geometry_.global_volume() * spec_.fermions.fields());
    return spec_.solver == SolverKind::Full ? sites : sites / 2;
  }
  double iteration_flops() const {
    return solver_sites() *
           flops_of_iteration(spec_.fermions.kind, spec_.solver == SolverKind::Full);
  }

  SolverLimits limits_of(int column) const {
    SolverLimits limits{
        .tolerance = spec_.tolerance, .max_iterations = spec_.max_iterations, .progress = {}};
    if (spec_.progress && QMP_is_primary_node()) {
      limits.progress = [this, column](int iteration, double residual, double target) {
        spec_.progress({column, iteration, residual, target});
      };
    }
    return limits;
  }

  /// Runs `solve`, whose time counts as that of the solver.
  template <class Solve>
  void timed(const Solve& solve) {
    clock_.enter(Phase::Compute);
    const auto before = clock_.spent();
    const double begin = QMP_time();
    solve();
    clock_.enter(Phase::Compute);
    times_.solve += QMP_time() - begin;
    for (std::size_t i = 0; i < times_.split.size(); ++i)
      times_.split[i] += clock_.spent()[i] - before[i];
  }

  static void note(ColumnResult& out, SolverResult&& solved) {
    out.iterations = solved.iterations;
    out.converged = solved.converged;
    out.history = std::move(solved.history);
  }

  /// A right side whose |b|^2 is too small for a number seems solved before it begins.
  static void refuse_nothing(ColumnResult& out) {
    if (out.iterations == 0 && !(out.true_residual < 1)) out.converged = false;
  }

  Field solve_column(int column, const Field& source, ColumnResult& out) {
    const Field prepared = system_.prepare(source);
    Field x;
    if (spec_.solver == SolverKind::Mixed) {
      solve_in_both(column, prepared, x, out);
    } else {
      timed([&] {
        CgCheckpoint<T, Site> checkpoint = checkpoint_of(column, static_cast<int>(prepared.size()));
        note(out, system_.solve(x, prepared, limits_of(column), checkpoint));
      });
    }
    out.solver_residual = system_.solver_residual(x, prepared);
    Field solution = system_.reconstruct(std::move(x), source);
    out.true_residual = spec_.solver == SolverKind::Full ? out.solver_residual
                                                         : system_.true_residual(solution, source);
    return system_.quark(solution);
  }

  void solve_in_both(int column, const Field& prepared, Field& x, ColumnResult& out) {
    if constexpr (std::is_same_v<T, double>) {
      timed([&] {
        MixedResult mixed = solve_mixed<Site>(system_.positive(), system_.linear(),
                                              single_->positive(), single_->linear(), x,
                                              system_.positive_source(prepared), limits_of(column));
        out.updates = mixed.updates;
        note(out, std::move(mixed.solver));
      });
    } else {
      throw std::logic_error("mixed precision solves in double");
    }
  }

  /// All shifts of a column; false if they did not converge.
  bool solve_shifts(int column, const Field& source, const ColumnResult& common,
                    JobResult& result) {
    if constexpr (std::is_same_v<T, double>) {
      const Field b = system_.positive_source(system_.prepare(source));
      std::vector<Field> x;
      SolverResult solved;
      timed([&] {
        solved = solve_multishift(system_.positive(), system_.linear(), x, b, spec_.shifts,
                                  limits_of(column));
      });
      result.solve_flops += iteration_flops() * solved.iterations;
      const int first = geometry_.volume() - static_cast<int>(b.size()) / spec_.fermions.fields();
      const auto smallest =
          static_cast<std::size_t>(std::ranges::min_element(spec_.shifts) - spec_.shifts.begin());
      for (std::size_t i = 0; i < x.size(); ++i) {
        ColumnResult out = common;
        out.shift = spec_.shifts[i];
        out.iterations = solved.shift_iterations[i];
        out.converged = solved.converged;
        if (out.shift == spec_.shifts[smallest]) out.history = solved.history;
        // Beyond the smallest, which the iteration is of: a solution and a search direction of its
        // own, five flop a number.
        if (i != smallest)
          result.solve_flops +=
              5 * solver_sites() * spec_.fermions.site_reals() * solved.shift_iterations[i];
        Field r(b.size());
        system_.positive().apply(r, x[i]);
        system_.linear().add(r, out.shift, x[i]);
        const double above = system_.linear().scale_add_norm2(r, 1, b, -1);
        out.solver_residual = out.true_residual = std::sqrt(above / system_.linear().norm2(b));
        refuse_nothing(out);
        solved.converged = solved.converged && out.converged;
        result.columns.push_back(out);
        Field whole(static_cast<std::size_t>(first * spec_.fermions.fields()), Site<T>{});
        whole.insert(whole.end(), x[i].begin(), x[i].end());
        hand_over(column * solutions_of_column(spec_) + static_cast<int>(i), system_.quark(whole));
      }
      return solved.converged;
    } else {
      throw std::logic_error("several shifts are solved in double");
    }
  }

  /// A field of the last sites as bytes by their places in the whole lattice, and back.
  SiteBytes bytes_of(const Field& field, int first) const {
    SiteBytes bytes;
    for (std::size_t i = 0; i < field.size(); ++i) {
      const auto* const from = reinterpret_cast<const std::byte*>(&field[i]);
      bytes.emplace(geometry_.global_index(first + static_cast<int>(i)),
                    std::vector(from, from + sizeof field[i]));
    }
    return bytes;
  }
  Field field_of(const SiteBytes& bytes, int first) const {
    Field field(static_cast<std::size_t>(geometry_.volume() - first));
    for (std::size_t i = 0; i < field.size(); ++i) {
      const auto site = bytes.find(geometry_.global_index(first + static_cast<int>(i)));
      if (site == bytes.end() || site->second.size() != sizeof field[i])
        throw DataError("a checkpoint without all sites of the lattice");
      std::memcpy(&field[i], site->second.data(), sizeof field[i]);
    }
    return field;
  }

  /// What a solve of `sites` sites hands over, and what it goes on from.
  CgCheckpoint<T, Site> checkpoint_of(int column, int sites) {
    CgCheckpoint<T, Site> checkpoint;
    if (!spec_.checkpoints) return checkpoint;
    Checkpoints& files = *spec_.checkpoints;
    const int first = geometry_.volume() - sites;
    checkpoint.every = files.every();
    checkpoint.save = [this, column, first, &files](const CgState<T, Site>& s) {
      done_.solver = {column,
                      s.residual,
                      s.target,
                      s.history,
                      bytes_of(s.x, first),
                      bytes_of(s.r, first),
                      bytes_of(s.p, first)};
      files.save(QMP_get_node_number(), QMP_get_number_of_nodes(), done_);
    };
    if (files.found() && files.found()->solver.column == column) {
      const SolverState& s = files.found()->solver;
      checkpoint.from = CgState<T, Site>{
          s.residual,          s.target, s.history, field_of(s.x, first), field_of(s.r, first),
          field_of(s.p, first)};
    }
    return checkpoint;
  }

  /// Takes over the columns that a checkpoint has; the first that it has not.
  int go_on(JobResult& result) {
    const NodeState& found = *spec_.checkpoints->found();
    result.columns = done_.columns = found.columns;
    for (std::size_t column = 0; column < found.solutions.size(); ++column) {
      const Field solution = field_of(found.solutions[column], 0);
      done_.solutions.push_back(bytes_of(solution, 0));
      finish(static_cast<int>(column), solution);
    }
    return found.solver.column;
  }

  /// Adds to the correlator and hands the solution over.
  void finish(int column, const Field& solution) {
    for (int site = 0; site < geometry_.volume(); ++site) {
      const auto t = static_cast<std::size_t>(geometry_.global_place(site)[3]);
      correlator_[t].add(site_norm2(solution[static_cast<std::size_t>(site)]));
    }
    hand_over(column, solution);
  }

  void hand_over(int column, const Field& solution) {
    for (int site = 0; site < geometry_.volume(); ++site) {
      const auto numbers = numbers_of(solution[static_cast<std::size_t>(site)]);
      sink_.put_solution(column, geometry_.global_index(site), numbers.data());
    }
  }

  const SystemParts& parts_;
  const JobSpec& spec_;
  const Geometry& geometry_;
  PhaseClock& clock_;
  System<T, Site>& system_;
  System<float, Site>* single_;
  JobSink& sink_;
  std::vector<LocalSum> correlator_;
  NodeTimes times_;
  NodeState done_;  ///< for checkpoints: columns, and the solver's state last saved
};

template <class T, template <class> class Site>
std::unique_ptr<System<T, Site>> make_system(const SystemParts& parts) {
  if constexpr (std::is_same_v<Site<T>, Spinor<T>>) {
    return make_spinor_system<T>(parts);
  } else {
    return make_staggered_system<T>(parts);
  }
}

template <class T, template <class> class Site>
NodeTimes solve(const SystemParts& parts, JobSink& sink, JobResult& result) {
  const auto system = make_system<T, Site>(parts);
  std::unique_ptr<System<float, Site>> single;
  if (parts.spec.solver == SolverKind::Mixed) single = make_system<float, Site>(parts);
  Run<T, Site> run(parts, *system, single.get(), sink);
  run.columns(result);
  return run.times();
}

template <template <class> class Site>
NodeTimes solve_in_precision(const SystemParts& parts, JobSink& sink, JobResult& result) {
  return parts.spec.precision == Precision::Double ? solve<double, Site>(parts, sink, result)
                                                   : solve<float, Site>(parts, sink, result);
}

}  // namespace

void run_solve_job(const JobSpec& spec, JobSink& sink, WorkMeter& meter) {
  validate(spec);
  const Geometry geometry = declare_geometry(spec.lattice, spec.node_grid);
  validate_local(spec, geometry.grid());
  const double begin = QMP_time();
  PhaseClock clock(meter);
  const LocalLinks<double> links = local_links(geometry, spec);

  JobResult result;
  result.field = spec.load    ? spec.description
                 : spec.gauge ? spec.gauge->description
                              : describe(spec.field, spec.seed);
  result.lattice = geometry.lattice();
  result.node_grid = geometry.grid();
  result.local_lattice = geometry.local();
  Reducer exact(SumKind::Reproducible, clock);
  const GaugeMeasurement measured = measure(geometry, links, exact);
  result.plaquette = measured.plaquette;
  result.link_trace = measured.link_trace;

  Reducer reduce(spec.sum, clock);
  const SystemParts parts{spec, geometry, links, clock, reduce};
  NodeTimes times = spec.fermions.staggered()
                        ? solve_in_precision<ColourVector>(parts, sink, result)
                        : solve_in_precision<Spinor>(parts, sink, result);
  times.total = QMP_time() - begin;
  sink.put_times(QMP_get_node_number(), QMP_get_number_of_nodes(), times);
  if (QMP_is_primary_node()) sink.put_common(std::move(result));
}

}  // namespace ht::dirac
