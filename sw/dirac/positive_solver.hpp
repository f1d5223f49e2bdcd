// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <vector>

#include "sw/dirac/operator/fermion_matrix.hpp"
#include "sw/dirac/solver.hpp"

namespace ht::dirac {

/// Conjugate gradient on A x = b from x = 0, A hermitian and positive, until |r| <= tolerance |b|.
/// Two global sums an iteration. `x` is resized. Collective. Stops unconverged at the limit, or
/// when a sum is no finite number any more.
template <class T, template <class> class Site>
SolverResult solve_positive(PositiveMatrix<T, Site>& a, Linear<T, Site>& linear,
                            FermionField<T, Site>& x, const FermionField<T, Site>& b,
                            const SolverLimits& limits);

/// (A + shift_i) x_i = b for all shifts in the iterations that the smallest takes by itself
/// (Jegerlehner, hep-lat/9612014), x_i from 0. Shifts are not negative (UsageError). The residual
/// of every system follows from that of the smallest shift, whose history is the result's; a system
/// whose residual has reached the tolerance by that recurrence is not updated any more. `x` is
/// resized.
template <class T, template <class> class Site>
SolverResult solve_multishift(PositiveMatrix<T, Site>& a, Linear<T, Site>& linear,
                              std::vector<FermionField<T, Site>>& x, const FermionField<T, Site>& b,
                              const std::vector<double>& shifts, const SolverLimits& limits);

/// A x = b to double precision with most of the work in single: conjugate gradient in single, and
/// reliable updates (Sleijpen and van der Vorst, Computing 56 (1996) 141; Clark et al.,
/// arXiv:0911.3191): when the residual has fallen below `delta` of the largest since the last
/// update, the solution is added up in double and the residual computed anew in double; the search
/// direction goes on. The history has the residuals of the recurrence, and at the updates the true
/// ones; the last one is true.
struct MixedResult {
  SolverResult solver;
  int updates = 0;  ///< residuals computed in double, the first not counted
};
template <template <class> class Site>
MixedResult solve_mixed(PositiveMatrix<double, Site>& a, Linear<double, Site>& linear,
                        PositiveMatrix<float, Site>& single, Linear<float, Site>& single_linear,
                        FermionField<double, Site>& x, const FermionField<double, Site>& b,
                        const SolverLimits& limits, double delta = 0.1);

}  // namespace ht::dirac
