// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/solver.hpp"

#include <cmath>
#include <utility>

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
                      const SpinorField<T>& b, const SolverLimits& limits,
                      CgCheckpoint<T>* checkpoint) {
  const std::size_t n = m.size();
  CgState<T> s;
  SpinorField<T> mp(n), mmp(n);
  SolverResult result;
  if (checkpoint != nullptr && checkpoint->from) {
    s = std::move(*checkpoint->from);
    checkpoint->from.reset();
    result.history = s.history;
    result.iterations = static_cast<int>(s.history.size()) - 1;
  } else {
    s.x.assign(n, Spinor<T>{});
    s.r.resize(n);
    s.residual = m.apply_norm2(s.r, b, true);
    s.target = limits.tolerance * limits.tolerance * s.residual;
    s.p = s.r;
  }
  const auto stop = [&] {
    x = std::move(s.x);
    return result;
  };
  if (result.history.empty() && step(result, limits, s.residual, s.target)) return stop();
  for (;;) {
    const double before = s.residual;
    const double curvature = m.apply_norm2(mp, s.p, false);
    const double alpha = before / curvature;
    linear.add(s.x, alpha, s.p);
    m.apply(mmp, mp, true);
    s.residual = linear.add_norm2(s.r, -alpha, mmp);
    if (step(result, limits, s.residual, s.target)) return stop();
    linear.scale_add(s.p, 1, s.r, s.residual / before);
    if (checkpoint == nullptr || checkpoint->every == 0 ||
        result.iterations % checkpoint->every != 0)
      continue;
    s.history = result.history;
    checkpoint->save(s);
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
                               const SpinorField<double>&, const SolverLimits&,
                               CgCheckpoint<double>*);
template SolverResult solve_cg(FermionMatrix<float>&, Linear<float>&, SpinorField<float>&,
                               const SpinorField<float>&, const SolverLimits&,
                               CgCheckpoint<float>*);
template SolverResult solve_cg_residual(FermionMatrix<double>&, Linear<double>&,
                                        SpinorField<double>&, const SpinorField<double>&,
                                        const SolverLimits&);
template SolverResult solve_cg_residual(FermionMatrix<float>&, Linear<float>&, SpinorField<float>&,
                                        const SpinorField<float>&, const SolverLimits&);

}  // namespace ht::dirac
