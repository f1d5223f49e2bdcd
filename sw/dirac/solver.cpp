// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/solver.hpp"

#include <cmath>
#include <utility>

namespace ht::dirac {

bool SolverResult::step(const SolverLimits& limits, double residual, double target) {
  if (!history.empty()) {
    ++iterations;
    if (limits.progress) limits.progress(iterations, residual, target);
  }
  history.push_back(residual);
  // Beside a target that overflows nothing is small.
  converged = std::isfinite(target) && residual <= target;
  return converged || !std::isfinite(residual) || !std::isfinite(target) ||
         iterations >= limits.max_iterations;
}

template <class T, template <class> class Site>
SolverResult solve_cg(FermionMatrix<T, Site>& m, Linear<T, Site>& linear, FermionField<T, Site>& x,
                      const FermionField<T, Site>& b, const SolverLimits& limits,
                      CgCheckpoint<T, Site>* checkpoint) {
  const std::size_t n = m.size();
  CgState<T, Site> s;
  FermionField<T, Site> mp(n), mmp(n);
  SolverResult result;
  if (checkpoint != nullptr && checkpoint->from) {
    s = std::move(*checkpoint->from);
    checkpoint->from.reset();
    result.history = s.history;
    result.iterations = static_cast<int>(s.history.size()) - 1;
  } else {
    s.x.assign(n, Site<T>{});
    s.r.resize(n);
    s.residual = m.apply_norm2(s.r, b, true);
    s.target = limits.tolerance * limits.tolerance * s.residual;
    s.p = s.r;
  }
  const auto stop = [&] {
    x = std::move(s.x);
    return result;
  };
  if (result.history.empty() && result.step(limits, s.residual, s.target)) return stop();
  for (;;) {
    const double before = s.residual;
    const double curvature = m.apply_norm2(mp, s.p, false);
    const double alpha = before / curvature;
    linear.add(s.x, alpha, s.p);
    m.apply(mmp, mp, true);
    s.residual = linear.add_norm2(s.r, -alpha, mmp);
    if (result.step(limits, s.residual, s.target)) return stop();
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
  if (result.step(limits, residual, target)) return result;
  for (;;) {
    const double before = gradient;
    const double curvature = m.apply_norm2(w, p, false);
    const double alpha = before / curvature;
    linear.add(x, alpha, p);
    residual = linear.add_norm2(r, -alpha, w);
    if (result.step(limits, residual, target)) return result;
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
