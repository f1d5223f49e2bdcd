// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/solver.hpp"

#include <cmath>

namespace ht::dirac {
namespace {

/// Notes |r|^2; true when the solver has to stop.
bool step(SolverResult& result, const SolverLimits& limits, double residual, double target) {
  if (!result.history.empty()) {
    ++result.iterations;
    if (limits.progress) limits.progress(result.iterations, residual, target);
  }
  result.history.push_back(residual);
  result.converged = residual <= target;
  return result.converged || !std::isfinite(residual) || result.iterations >= limits.max_iterations;
}

}  // namespace

template <class T>
SolverResult solve_cg(FermionMatrix<T>& m, Linear<T>& linear, SpinorField<T>& x,
                      const SpinorField<T>& b, const SolverLimits& limits) {
  const std::size_t n = m.size();
  x.assign(n, Spinor<T>{});
  SpinorField<T> r(n), mp(n), mmp(n);
  double residual = m.apply_norm2(r, b, true);
  const double target = limits.tolerance * limits.tolerance * residual;
  SpinorField<T> p = r;

  SolverResult result;
  if (step(result, limits, residual, target)) return result;
  for (;;) {
    const double before = residual;
    const double curvature = m.apply_norm2(mp, p, false);
    const double alpha = before / curvature;
    linear.add(x, alpha, p);
    m.apply(mmp, mp, true);
    residual = linear.add_norm2(r, -alpha, mmp);
    if (step(result, limits, residual, target)) return result;
    linear.scale_add(p, 1, r, residual / before);
  }
}

template <class T>
SolverResult solve_cg_residual(FermionMatrix<T>& m, Linear<T>& linear, SpinorField<T>& x,
                               const SpinorField<T>& b, const SolverLimits& limits) {
  const std::size_t n = m.size();
  x.assign(n, Spinor<T>{});
  SpinorField<T> r = b, p(n), w(n);
  double residual = linear.norm2(b);
  const double target = limits.tolerance * limits.tolerance * residual;
  double gradient = m.apply_norm2(p, r, true);

  SolverResult result;
  if (step(result, limits, residual, target)) return result;
  for (;;) {
    const double before = gradient;
    const double curvature = m.apply_norm2(w, p, false);
    const double alpha = before / curvature;
    linear.add(x, alpha, p);
    residual = linear.add_norm2(r, -alpha, w);
    if (step(result, limits, residual, target)) return result;
    gradient = m.apply_norm2(w, r, true);
    linear.scale_add(p, 1, w, gradient / before);
  }
}

template SolverResult solve_cg(FermionMatrix<double>&, Linear<double>&, SpinorField<double>&,
                               const SpinorField<double>&, const SolverLimits&);
template SolverResult solve_cg(FermionMatrix<float>&, Linear<float>&, SpinorField<float>&,
                               const SpinorField<float>&, const SolverLimits&);
template SolverResult solve_cg_residual(FermionMatrix<double>&, Linear<double>&,
                                        SpinorField<double>&, const SpinorField<double>&,
                                        const SolverLimits&);
template SolverResult solve_cg_residual(FermionMatrix<float>&, Linear<float>&, SpinorField<float>&,
                                        const SpinorField<float>&, const SolverLimits&);

}  // namespace ht::dirac
