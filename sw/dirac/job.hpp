// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sw/dirac/gauge/gauge.hpp"
#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/operator/operator_choice.hpp"
#include "sw/dirac/work_meter.hpp"

namespace ht::dirac {

class Checkpoints;

enum class Precision : std::uint8_t { Double, Single };
/// EvenOdd: CG on the odd sites' system. Full: CG on all sites, Wilson's matrix only. MultiShift:
/// the odd sites' system with several numbers added to its positive matrix, all at once. Mixed: CG
/// in single with reliable updates in double. Both of the last two solve in double.
enum class SolverKind : std::uint8_t { EvenOdd, Full, MultiShift, Mixed };
/// Reproducible: one double a site into an order-independent state, states merged between nodes,
/// rounded once; the same bits on every node grid. Fast: doubles are added on the node and between
/// nodes; bits depend on the node grid.
enum class SumKind : std::uint8_t { Reproducible, Fast };

/// Where a column's right-hand side comes from. Gaussian: (1 + width^2/(4 n) Laplacian)^n on a
/// point, gauge-invariant, in the three directions of space, n = iterations.
struct Source {
  bool gaussian = false;
  Coordinates position{};
  double width = 0;
  int iterations = 0;
};

/// Called on node 0 after every iteration, from its fibre: it must not call QMP.
struct Progress {
  int column = 0;
  int iteration = 0;
  double residual_norm2 = 0;  ///< |r|^2
  double target_norm2 = 0;    ///< at which the solver stops
};

/// What is to be solved: M x = b for the first `columns` of the twelve (colour outer, spin inner;
/// three, the colours, of staggered fermions). M is `fermions`' matrix in the conventions of
/// README.md; Wilson's is 1/(2 kappa) - D/2.
struct JobSpec {
  Coordinates lattice{4, 4, 4, 8};
  /// Node grid as the application sees it, x first, at most 4 axes longer than 1. Declared to QMP
  /// unless the program has declared a topology already; empty: the machine's own shape.
  std::vector<int> node_grid;
  /// The field, shared by all nodes; if null each node generates its part of `field` from `seed`.
  std::shared_ptr<const GlobalGauge> gauge;
  /// If set, each node calls it for its part instead: the links of a box of the lattice, given by
  /// first site and extents, lexicographic.
  std::function<std::vector<SiteLinks>(const Coordinates& origin, const Coordinates& extents)> load;
  std::string description;  ///< of the field that `load` brings
  FieldKind field = FieldKind::Weak;
  std::uint64_t seed = 1;

  OperatorChoice fermions;
  /// Factors of the links that leave the last slice of each axis: 1 periodic, -1 antiperiodic, 0
  /// open.
  std::array<double, 4> boundary{1, 1, 1, -1};
  Source source;
  int columns = 1;
  Precision precision = Precision::Double;
  SolverKind solver = SolverKind::EvenOdd;
  std::vector<double> shifts;  ///< of MultiShift, each from 0
  double tolerance = 1e-12;    ///< stop at |r| <= tolerance |M^dagger b|; staggered: of |b'|
  int max_iterations = 10000;  ///< a column
  SumKind sum = SumKind::Reproducible;
  std::function<void(const Progress&)> progress;
  /// Where nodes keep the solver's state, and what they go on from; null: nowhere, from nothing.
  std::shared_ptr<Checkpoints> checkpoints;
};

/// Throws UsageError naming the first thing that is wrong, alone or together with others, and the
/// remedy; also if the node grid does not divide the lattice. run_solve_job() calls it too.
void validate(const JobSpec& spec);

/// What validate() checks where the node grid is known: that its operator reaches no further than
/// the next node. Throws UsageError.
void validate_local(const JobSpec& spec, const Coordinates& grid);

/// Memory that a node's part of the job takes, in bytes: links, the operator's own matrices, and
/// the vectors of its solver.
double bytes_of_node(const JobSpec& spec);

/// Solutions of a column: one, or one a shift.
int solutions_of_column(const JobSpec& spec);

struct ColumnResult {
  int colour = 0, spin = 0;
  double shift = 0;  ///< of MultiShift; then a column has as many results as there are shifts
  double source_norm2 = 0;
  int iterations = 0;
  int updates = 0;  ///< of Mixed: residuals computed anew in double
  bool converged = false;
  /// |b - M x| / |b|: computed anew from the solution, not the solver's recurrence.
  /// For MultiShift as solver_residual.
  double true_residual = 0;
  /// The same of the system the solver saw: the Schur complement for EvenOdd, A + shift with the
  /// positive matrix A for MultiShift.
  double solver_residual = 0;
  std::vector<double> history;  ///< |r|^2 at the start and after every iteration
};

/// Seconds of simulated time one node spent.
struct NodeTimes {
  double solve = 0;                     ///< in all solves
  std::array<double, kPhases> split{};  ///< of it, by Phase
  double total = 0;                     ///< whole job, set-up included
};

/// Everything a run reports about the application.
struct JobResult {
  std::string field;  ///< "NERSC ..., float32, file" or "weak field, seed 1"
  Coordinates lattice{}, node_grid{}, local_lattice{};
  Plaquette plaquette;  ///< measured on the nodes
  double link_trace = 0;
  std::vector<ColumnResult> columns;
  /// Pion, by t, summed over columns; empty for MultiShift.
  std::vector<double> correlator;
  /// Of all solves, by flops_of_iteration() in README.md's count; without what checkpoints had.
  double solve_flops = 0;
  std::uint32_t solution_crc32 = 0;  ///< zlib's, over JobSink::solution()
  std::vector<NodeTimes> nodes;      ///< by QMP node number

  bool converged() const;
  /// Throws UsageError if a source's numbers grew too large to solve for.
  void require_sources() const;
  /// Throws NotConvergedError if a column did not.
  void require_converged() const;
  /// The largest of the columns' true residuals, or NaN if one is.
  double worst_residual() const;
  /// Slowest node's solve time; 0 if time is free.
  double solve_seconds() const;
  /// Seconds by Phase, the mean over the nodes.
  std::array<double, kPhases> mean_split() const;
  /// Gflop/s of a node over all solves; 0 if time is free.
  double sustained_gflops() const;
};

/// Where the nodes of one run put their results, whatever threads they run on. One per run.
class JobSink {
 public:
  explicit JobSink(const JobSpec& spec);

  /// A node's part of a solution, as bytes of one site (4 spins x 3 colours x (re, im), or 3
  /// colours x (re, im), in the precision of the run, native byte order). `column` counts shifts,
  /// too.
  void put_solution(int column, std::int64_t global_site, const void* site);
  /// Node 0 gives what is common to all nodes.
  void put_common(JobResult result);
  /// What node 0 gave, if it has and runs in this process.
  std::optional<JobResult> common() const;
  void put_times(int node, int nodes, const NodeTimes& times);

  /// For runs spread over several processes: hands the solution and the times, each zero where
  /// another process has them, to `merge`, which makes them whole.
  void merge(const std::function<void(std::span<std::byte>)>& merge);

  /// After the run: the result with times and CRC. Throws std::logic_error if node 0 gave none.
  JobResult result() const;
  /// The whole solution: column, shift, then global site (lexicographic, x fastest), then spin,
  /// colour, (re, im). The same for every node grid.
  const std::vector<std::byte>& solution() const { return solution_; }

 private:
  mutable std::mutex mutex_;
  std::int64_t volume_ = 0;
  std::size_t site_bytes_ = 0;
  std::vector<std::byte> solution_;
  std::vector<NodeTimes> times_;
  JobResult common_;
  bool have_common_ = false;
};

/// A node's program; initialises QMP if that has not been done. Measures the plaquette, solves the
/// columns, and leaves everything in `sink`. A column that does not converge, or whose source
/// is no number, ends the job early; the result says so. Throws UsageError for a bad spec.
void run_solve_job(const JobSpec& spec, JobSink& sink, WorkMeter& meter);

}  // namespace ht::dirac
