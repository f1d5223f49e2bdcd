// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/positive_solver.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/host/errors.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace ht::dirac {
namespace {

void round(Spinor<float>& to, const Spinor<double>& from) {
  for (int c = 0; c < 3; ++c) {
    for (int h = 0; h < 2; ++h) to.c[c][h] = __builtin_convertvector(from.c[c][h], Vec4f);
  }
}

void round(ColourVector<float>& to, const ColourVector<double>& from) {
  for (int c = 0; c < 3; ++c) {
    for (int part = 0; part < 2; ++part) to.c[c][part] = static_cast<float>(from.c[c][part]);
  }
}

void add(Spinor<double>& to, const Spinor<float>& from) {
  for (int c = 0; c < 3; ++c) {
    for (int h = 0; h < 2; ++h) to.c[c][h] += __builtin_convertvector(from.c[c][h], Vec4d);
  }
}

void add(ColourVector<double>& to, const ColourVector<float>& from) {
  for (int c = 0; c < 3; ++c) {
    for (int part = 0; part < 2; ++part) to.c[c][part] += static_cast<double>(from.c[c][part]);
  }
}

double target_of(const SolverLimits& limits, double norm2) {
  return limits.tolerance * limits.tolerance * norm2;
}

/// One system of the shifted ones, in Jegerlehner's names.
template <class T, template <class> class Site>
struct Shifted {
  FermionField<T, Site>& x;
  FermionField<T, Site> p;
  double shift = 0;  ///< above the smallest one
  double zeta = 1, zeta_before = 1;
  bool done = false;
};

}  // namespace

template <class T, template <class> class Site>
SolverResult solve_positive(PositiveMatrix<T, Site>& a, Linear<T, Site>& linear,
                            FermionField<T, Site>& x, const FermionField<T, Site>& b,
                            const SolverLimits& limits) {
  x.assign(a.size(), Site<T>{});
  FermionField<T, Site> r = b, p = b, q(a.size());
  double residual = linear.norm2(b);
  const double target = target_of(limits, residual);
  SolverResult result;
  if (result.step(limits, residual, target)) return result;
  for (;;) {
    const double before = residual;
    const double alpha = before / a.apply(q, p);
    linear.add(x, alpha, p);
    residual = linear.add_norm2(r, -alpha, q);
    if (result.step(limits, residual, target)) return result;
    linear.scale_add(p, 1, r, residual / before);
  }
}

template <class T, template <class> class Site>
SolverResult solve_multishift(PositiveMatrix<T, Site>& a, Linear<T, Site>& linear,
                              std::vector<FermionField<T, Site>>& x, const FermionField<T, Site>& b,
                              const std::vector<double>& shifts, const SolverLimits& limits) {
  SolverResult result;
  x.assign(shifts.size(), FermionField<T, Site>(a.size(), Site<T>{}));
  if (shifts.empty()) {
    result.converged = true;
    return result;
  }
  const double smallest = *std::min_element(shifts.begin(), shifts.end());
  if (!(smallest >= 0))
    throw UsageError(
        fmt::format("a shift of {}: shifts of a positive matrix are not below 0", smallest));
  std::vector<Shifted<T, Site>> systems;
  for (std::size_t i = 0; i < shifts.size(); ++i) {
    systems.push_back({.x = x[i], .p = b, .shift = shifts[i] - smallest});
  }
  result.shift_iterations.assign(shifts.size(), 0);

  FermionField<T, Site> r = b, p = b, q(a.size());
  double residual = linear.norm2(b);
  const double target = target_of(limits, residual);
  // The base system is that of the smallest shift; beta and alpha are its coefficients.
  double beta_before = 1, alpha = 0;
  bool stop = result.step(limits, residual, target);
  while (!stop) {
    double curvature = a.apply(q, p);
    if (smallest > 0) {
      curvature += smallest * linear.norm2(p);
      linear.add(q, smallest, p);
    }
    const double beta = -residual / curvature;
    const double before = residual;
    residual = linear.add_norm2(r, beta, q);
    const double alpha_next = residual / before;
    stop = result.step(limits, residual, target);
    for (std::size_t i = 0; i < systems.size(); ++i) {
      Shifted<T, Site>& s = systems[i];
      if (s.done) continue;
      ++result.shift_iterations[i];
      const double below = beta * alpha * (s.zeta_before - s.zeta) +
                           s.zeta_before * beta_before * (1 - s.shift * beta);
      const double zeta = s.zeta * s.zeta_before * beta_before / below;
      const double step = beta * zeta / s.zeta;
      linear.add(s.x, -step, s.p);
      linear.scale_add(s.p, zeta, r, alpha_next * zeta * step / (s.zeta * beta));
      s.zeta_before = s.zeta;
      s.zeta = zeta;
      s.done = zeta * zeta * residual <= target;
    }
    linear.scale_add(p, 1, r, alpha_next);
    beta_before = beta;
    alpha = alpha_next;
  }
  return result;
}

template <template <class> class Site>
MixedResult solve_mixed(PositiveMatrix<double, Site>& a, Linear<double, Site>& linear,
                        PositiveMatrix<float, Site>& single, Linear<float, Site>& single_linear,
                        FermionField<double, Site>& x, const FermionField<double, Site>& b,
                        const SolverLimits& limits, double delta) {
  const std::size_t n = a.size();
  x.assign(n, Site<double>{});
  FermionField<double, Site> r = b, ax(n);
  FermionField<float, Site> r1(n), p1(n), q1(n), x1(n, Site<float>{});
  const auto round_residual = [&] {
    for (std::size_t i = 0; i < n; ++i) round(r1[i], r[i]);
  };
  MixedResult mixed;
  SolverResult& result = mixed.solver;
  double residual = linear.norm2(b);
  const double target = target_of(limits, residual);
  double at_update = residual, largest = residual;
  round_residual();
  p1 = r1;
  if (result.step(limits, residual, target)) return mixed;
  for (;;) {
    const double before = residual;
    const double alpha = before / single.apply(q1, p1);
    single_linear.add(x1, alpha, p1);
    residual = single_linear.add_norm2(r1, -alpha, q1);
    largest = std::max(largest, residual);
    const bool at_limit = result.iterations + 1 >= limits.max_iterations;
    if (residual > delta * delta * largest && residual > target && !at_limit &&
        std::isfinite(residual)) {
      result.step(limits, residual, target);
    } else {
      for (std::size_t i = 0; i < n; ++i) {
        add(x[i], x1[i]);
        x1[i] = Site<float>{};
      }
      a.apply(ax, x);
      r = b;
      residual = linear.add_norm2(r, -1, ax);
      ++mixed.updates;
      // An update that brought nothing means that single precision has no more to give.
      if (result.step(limits, residual, target) || residual >= at_update) return mixed;
      at_update = largest = residual;
      round_residual();
    }
    single_linear.scale_add(p1, 1, r1, residual / before);
  }
}

template SolverResult solve_positive(PositiveMatrix<double>&, Linear<double>&, SpinorField<double>&,
                                     const SpinorField<double>&, const SolverLimits&);
template SolverResult solve_positive(PositiveMatrix<float>&, Linear<float>&, SpinorField<float>&,
                                     const SpinorField<float>&, const SolverLimits&);
template SolverResult solve_positive(PositiveMatrix<double, ColourVector>&,
                                     Linear<double, ColourVector>&, ColourField<double>&,
                                     const ColourField<double>&, const SolverLimits&);
template SolverResult solve_positive(PositiveMatrix<float, ColourVector>&,
                                     Linear<float, ColourVector>&, ColourField<float>&,
                                     const ColourField<float>&, const SolverLimits&);
template SolverResult solve_multishift(PositiveMatrix<double>&, Linear<double>&,
                                       std::vector<SpinorField<double>>&,
                                       const SpinorField<double>&, const std::vector<double>&,
                                       const SolverLimits&);
template SolverResult solve_multishift(PositiveMatrix<double, ColourVector>&,
                                       Linear<double, ColourVector>&,
                                       std::vector<ColourField<double>>&,
                                       const ColourField<double>&, const std::vector<double>&,
                                       const SolverLimits&);
template MixedResult solve_mixed(PositiveMatrix<double>&, Linear<double>&, PositiveMatrix<float>&,
                                 Linear<float>&, SpinorField<double>&, const SpinorField<double>&,
                                 const SolverLimits&, double);
template MixedResult solve_mixed(PositiveMatrix<double, ColourVector>&,
                                 Linear<double, ColourVector>&,
                                 PositiveMatrix<float, ColourVector>&, Linear<float, ColourVector>&,
                                 ColourField<double>&, const ColourField<double>&,
                                 const SolverLimits&, double);

}  // namespace ht::dirac
