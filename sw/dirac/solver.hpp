// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "sw/dirac/operator/fermion_matrix.hpp"
#include "sw/dirac/operator/linear.hpp"

namespace ht::dirac {

struct SolverLimits {
  double tolerance = 1e-12;
  int max_iterations = 10000;
  /// Called after every iteration with its number, |r|^2, and the |r|^2 to stop at.
  std::function<void(int, double, double)> progress;
};

struct SolverResult {
  int iterations = 0;
  bool converged = false;
  std::vector<double> history;        ///< |r|^2 at the start and after every iteration
  std::vector<int> shift_iterations;  ///< of solve_multishift(): those that each shift took part in

  /// Notes |r|^2, at the start and after every iteration; true when the solver has to stop.
  bool step(const SolverLimits& limits, double residual, double target);
};

/// All that the iterations after this one depend on.
template <class T, template <class> class Site = Spinor>
struct CgState {
  double residual = 0, target = 0;
  std::vector<double> history;
  FermionField<T, Site> x, r, p;
};

/// When a solve hands over its state, and what it goes on from; nothing: from the start.
template <class T, template <class> class Site = Spinor>
struct CgCheckpoint {
  int every = 0;  ///< iterations; 0: never
  std::function<void(const CgState<T, Site>&)> save;
  std::optional<CgState<T, Site>> from;
};

/// Conjugate gradient on M^dagger M x = M^dagger b from x = 0, as Chroma's InvCG2: r = M^dagger b -
/// M^dagger M x, until |r| <= tolerance |M^dagger b|. Two global sums an iteration. `x` is resized.
/// Collective. Stops unconverged at the limit, or when a sum is no finite number any more.
template <class T, template <class> class Site>
SolverResult solve_cg(FermionMatrix<T, Site>& m, Linear<T, Site>& linear, FermionField<T, Site>& x,
                      const FermionField<T, Site>& b, const SolverLimits& limits,
                      CgCheckpoint<T, Site>* checkpoint = nullptr);

/// The same iteration on the residual of the equation itself, as MILC's cgilu_w: r = b - M x, until
/// |r| <= tolerance |b|. Three global sums an iteration.
template <class T>
SolverResult solve_cg_residual(FermionMatrix<T>& m, Linear<T>& linear, SpinorField<T>& x,
                               const SpinorField<T>& b, const SolverLimits& limits);

}  // namespace ht::dirac
