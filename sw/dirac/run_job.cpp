// SPDX-License-Identifier: Apache-2.0
// The program that every node runs.
#include <cmath>
#include <cstring>

#include "sw/dirac/checkpoint.hpp"
#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/node.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/linear.hpp"
#include "sw/dirac/operator/wilson.hpp"
#include "sw/dirac/solver.hpp"
#include "sw/dirac/source.hpp"
#include "sw/host/errors.hpp"
#include "sw/qmp/qmp.h"

namespace ht::dirac {
namespace {

/// What is left to do once the field is there, in the precision of the run.
template <class T>
class Run {
 public:
  Run(const JobSpec& spec, const Geometry& geometry, const LocalLinks<double>& links,
      PhaseClock& clock, JobSink& sink)
      : spec_(spec),
        geometry_(geometry),
        links_(links),
        clock_(clock),
        sink_(sink),
        reduce_(spec.sum, clock),
        linear_(clock, reduce_),
        fermion_links_(fermion_links<T>(geometry, links, spec.boundary)),
        hop_(geometry, fermion_links_, clock,
             spec.solver == SolverKind::Full ? std::vector{Targets::All}
                                             : std::vector{Targets::Even, Targets::Odd}),
        correlator_(static_cast<std::size_t>(geometry.lattice()[3]), reduce_.local()) {}

  /// Solves the columns one after the other; stops at the first that does not converge.
  void columns(JobResult& result) {
    ColourField<double> colours;
    int first = 0;
    if (spec_.checkpoints && spec_.checkpoints->found()) first = go_on(result);
    for (int column = first; column < spec_.columns; ++column) {
      const int colour = column / 4, spin = column % 4;
      if (spin == 0 || colours.empty())
        colours = colour_source(geometry_, links_, spec_.source, colour, clock_);
      SpinorField<T> source = spinor_source<T>(colours, spin);
      result.columns.push_back({.colour = colour, .spin = spin, .history = {}});
      ColumnResult& out = result.columns.back();
      out.source_norm2 = linear_.norm2(source);
      const SpinorField<T> solution = spec_.solver == SolverKind::Full
                                          ? solve_full(column, source, out)
                                          : solve_even_odd(column, source, out);
      finish(column, solution);
      if (spec_.checkpoints) {
        done_.columns.push_back(out);
        done_.solutions.push_back(bytes_of(solution, 0));
      }
      if (!out.converged) break;
    }
    result.correlator = reduce_(std::span(correlator_));
    const double sites = static_cast<double>(geometry_.global_volume());
    const double a_site = spec_.solver == SolverKind::Full ? 3024 * sites : 5664 * sites / 2;
    for (const ColumnResult& c : result.columns) result.solve_flops += a_site * c.iterations;
  }

  const NodeTimes& times() const { return times_; }

 private:
  double mass() const { return 1 / (2 * spec_.kappa); }  ///< 4 + m

  SolverResult solve(int column, FermionMatrix<T>& m, SpinorField<T>& x, const SpinorField<T>& b) {
    SolverLimits limits{
        .tolerance = spec_.tolerance, .max_iterations = spec_.max_iterations, .progress = {}};
    if (spec_.progress && QMP_is_primary_node()) {
      limits.progress = [&](int iteration, double residual, double target) {
        spec_.progress({column, iteration, residual, target});
      };
    }
    clock_.enter(Phase::Compute);
    const auto before = clock_.spent();
    const double begin = QMP_time();
    CgCheckpoint<T> checkpoint = checkpoint_of(column, static_cast<int>(b.size()));
    SolverResult result = solve_cg(m, linear_, x, b, limits, &checkpoint);
    clock_.enter(Phase::Compute);
    times_.solve += QMP_time() - begin;
    for (std::size_t i = 0; i < times_.split.size(); ++i) {
      times_.split[i] += clock_.spent()[i] - before[i];
    }
    return result;
  }

  static void note(ColumnResult& out, SolverResult&& solved) {
    out.iterations = solved.iterations;
    out.converged = solved.converged;
    out.history = std::move(solved.history);
  }

  /// |b - M x| / |b| of the system the solver saw.
  double residual(FermionMatrix<T>& m, const SpinorField<T>& x, const SpinorField<T>& b) {
    SpinorField<T> r(b.size());
    m.apply(r, x, false);
    const double above = linear_.scale_add_norm2(r, 1, b, -1);
    return std::sqrt(above / linear_.norm2(b));
  }

  SpinorField<T> solve_full(int column, const SpinorField<T>& source, ColumnResult& out) {
    FullMatrix<T> m(hop_, linear_, mass(), 0.5);
    SpinorField<T> x;
    note(out, solve(column, m, x, source));
    out.true_residual = out.solver_residual = residual(m, x, source);
    return x;
  }

  SpinorField<T> solve_even_odd(int column, const SpinorField<T>& source, ColumnResult& out) {
    SchurMatrix<T> m(hop_, linear_, Targets::Odd, mass(), 0.5);
    const auto middle = source.begin() + geometry_.parity_count(0);
    const WholeField<T> b{{{source.begin(), middle}, {middle, source.end()}}};
    WholeField<T> x;
    const SpinorField<T> prepared = m.prepare(b);
    note(out, solve(column, m, x.half[1], prepared));
    out.solver_residual = residual(m, x.half[1], prepared);
    m.reconstruct(x, b);
    const auto [above, below] = m.residual(b, x);
    out.true_residual = std::sqrt(above / below);
    SpinorField<T> whole = std::move(x.half[0]);
    whole.insert(whole.end(), x.half[1].begin(), x.half[1].end());
    return whole;
  }

  /// A field of the last sites as bytes by their places in the whole lattice, and back.
  SiteBytes bytes_of(const SpinorField<T>& field, int first) const {
    SiteBytes bytes;
    for (std::size_t i = 0; i < field.size(); ++i) {
      const auto* const from = reinterpret_cast<const std::byte*>(&field[i]);
      bytes.emplace(geometry_.global_index(first + static_cast<int>(i)),
                    std::vector(from, from + sizeof field[i]));
    }
    return bytes;
  }
  SpinorField<T> field_of(const SiteBytes& bytes, int first) const {
    SpinorField<T> field(static_cast<std::size_t>(geometry_.volume() - first));
    for (std::size_t i = 0; i < field.size(); ++i) {
      const auto site = bytes.find(geometry_.global_index(first + static_cast<int>(i)));
      if (site == bytes.end() || site->second.size() != sizeof field[i])
        throw DataError("a checkpoint without all sites of the lattice");
      std::memcpy(&field[i], site->second.data(), sizeof field[i]);
    }
    return field;
  }

  /// What a solve of `sites` sites hands over, and what it goes on from.
  CgCheckpoint<T> checkpoint_of(int column, int sites) {
    CgCheckpoint<T> checkpoint;
    if (!spec_.checkpoints) return checkpoint;
    Checkpoints& files = *spec_.checkpoints;
    const int first = geometry_.volume() - sites;
    checkpoint.every = files.every();
    checkpoint.save = [this, column, first, &files](const CgState<T>& s) {
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
      checkpoint.from = CgState<T>{
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
      const SpinorField<T> solution = field_of(found.solutions[column], 0);
      done_.solutions.push_back(bytes_of(solution, 0));
      finish(static_cast<int>(column), solution);
    }
    return found.solver.column;
  }

  /// Adds to the correlator and hands the solution over.
  void finish(int column, const SpinorField<T>& solution) {
    T bytes[24];
    for (int site = 0; site < geometry_.volume(); ++site) {
      const Spinor<T>& psi = solution[static_cast<std::size_t>(site)];
      const Coordinates x = geometry_.global_place(site);
      correlator_[static_cast<std::size_t>(x[3])].add(site_norm2(psi));
      T* out = bytes;
      for (int spin = 0; spin < 4; ++spin) {
        for (int colour = 0; colour < 3; ++colour) {
          for (int part = 0; part < 2; ++part) *out++ = psi.at(spin, colour, part);
        }
      }
      sink_.put_solution(column, geometry_.global_index(site), bytes);
    }
  }

  const JobSpec& spec_;
  const Geometry& geometry_;
  const LocalLinks<double>& links_;
  PhaseClock& clock_;
  JobSink& sink_;
  Reducer reduce_;
  Linear<T> linear_;
  LocalLinks<T> fermion_links_;
  HoppingTerm<T> hop_;
  std::vector<LocalSum> correlator_;
  NodeTimes times_;
  NodeState done_;  ///< for checkpoints: columns, and the solver's state last saved
};

}  // namespace

void run_wilson_job(const JobSpec& spec, JobSink& sink, WorkMeter& meter) {
  validate(spec);
  const Geometry geometry = declare_geometry(spec.lattice, spec.node_grid);
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

  NodeTimes times;
  if (spec.precision == Precision::Double) {
    Run<double> run(spec, geometry, links, clock, sink);
    run.columns(result);
    times = run.times();
  } else {
    Run<float> run(spec, geometry, links, clock, sink);
    run.columns(result);
    times = run.times();
  }
  times.total = QMP_time() - begin;
  sink.put_times(QMP_get_node_number(), QMP_get_number_of_nodes(), times);
  if (QMP_is_primary_node()) sink.put_common(std::move(result));
}

}  // namespace ht::dirac
