// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/job.hpp"
#include "sw/dirac/operator/fermion_matrix.hpp"
#include "sw/dirac/operator/linear.hpp"
#include "sw/dirac/operator/spinor.hpp"
#include "sw/dirac/solver.hpp"

namespace ht::dirac {

/// A Dirac equation M x = b and the smaller one that its solver iterates on, over all nodes. Whole
/// fields hold all local sites, even ones first; with a fifth dimension each site's spinors next to
/// each other. All members are collective.
template <class T, template <class> class Site>
class System {
 public:
  using Field = FermionField<T, Site>;

  virtual ~System() = default;
  /// b for a column: the colours of a source in one spin.
  virtual Field source(const ColourField<double>& colours, int spin) = 0;
  /// The right-hand side of the equation that is iterated on, on its sites.
  virtual Field prepare(const Field& source) = 0;
  /// Conjugate gradient from 0.
  virtual SolverResult solve(Field& x, const Field& prepared, const SolverLimits& limits,
                             CgCheckpoint<T, Site>& checkpoint) = 0;
  /// |b' - M' x| / |b'| of that equation.
  virtual double solver_residual(const Field& x, const Field& prepared) = 0;
  /// The solution on all sites from the one on those that were iterated on.
  virtual Field reconstruct(Field x, const Field& source) = 0;
  /// |b - M x| / |b| of the whole equation.
  virtual double true_residual(const Field& solution, const Field& source) = 0;
  /// What a propagator has of the solution: one site a local site of four dimensions.
  virtual Field quark(const Field& solution) = 0;

  /// The same equation as one of a hermitian positive matrix, for other solvers.
  virtual PositiveMatrix<T, Site>& positive() = 0;
  virtual Field positive_source(const Field& prepared) = 0;
  virtual Linear<T, Site>& linear() = 0;
};

/// What systems are made of; all of it outlives them.
struct SystemParts {
  const JobSpec& spec;
  const Geometry& geometry;
  const LocalLinks<double>& links;  ///< periodic
  PhaseClock& clock;
  Reducer& reduce;
};

/// Wilson's matrix, even-odd or whole (SolverKind::Full), clover, domain wall.
template <class T>
std::unique_ptr<System<T, Spinor>> make_spinor_system(const SystemParts& parts);
/// Kogut and Susskind's, or Asqtad.
template <class T>
std::unique_ptr<System<T, ColourVector>> make_staggered_system(const SystemParts& parts);

/// The two halves of a whole field, and back; even sites are the first `even`.
template <class Field>
std::array<Field, 2> halves(const Field& whole, std::size_t even) {
  const auto middle = whole.begin() + static_cast<std::ptrdiff_t>(even);
  return {Field(whole.begin(), middle), Field(middle, whole.end())};
}
template <class Field>
Field joined(Field even, const Field& odd) {
  even.insert(even.end(), odd.begin(), odd.end());
  return even;
}

}  // namespace ht::dirac
