// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/domain_wall.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"
#include "sw/host/lattice_kernels.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace ht::dirac {

template <class T>
DomainWallTerm<T>::DomainWallTerm(const Geometry& geometry, int length, double m5, double mass,
                                  PhaseClock& clock)
    : geometry_(geometry),
      length_(length),
      a_(static_cast<T>(5 - m5)),
      mass_(static_cast<T>(mass)),
      clock_(clock) {
  if (length < 1)
    throw UsageError(fmt::format("a fifth dimension of {} sites: give at least 1", length));
  if (!(5 - m5 > 0))
    throw UsageError(
        fmt::format("a domain-wall height of {}: give one between 0 and 5, mostly 1.8", m5));
  T power = 1;
  for (int s = 1; s < length; ++s) power = power / a_;
  close_ = 1 / (a_ + mass_ * power);
}

template <class T>
template <class F>
void DomainWallTerm<T>::columns(int parity, const F& f) const {
  const int sites = geometry_.parity_count(parity);
  for (int site = 0; site < sites; ++site) {
    for (int colour = 0; colour < 3; ++colour) {
      for (int half = 0; half < 2; ++half) f(site, sites, colour, half);
    }
  }
}

template <class T>
void DomainWallTerm<T>::charge(int parity, const host::Kernel& kernel) const {
  if (geometry_.parity_count(parity) == 0) return;
  clock_.meter().kernel(
      {.sites = static_cast<std::int64_t>(geometry_.parity_count(parity)) * length_,
       .real_bytes = static_cast<int>(sizeof(T)),
       .kernel = kernel});
}

// Half 0 has spins 0 and 1, on which gamma_5 is 1: P_+ takes from s - 1, its transpose from s + 1.

template <class T>
void DomainWallTerm<T>::apply(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                              bool dagger) {
  columns(parity, [&](int site, int sites, int colour, int half) {
    const bool up = (half == 1) != dagger;
    const auto at = [&](int s) { return static_cast<std::size_t>(s * sites + site); };
    // In the direction of the hops, so that out may be in: each needs what comes after it.
    const int first = up ? 0 : length_ - 1, last = length_ - 1 - first, step = up ? 1 : -1;
    const Vec4<T> start = in[at(first)].c[colour][half];
    for (int s = first; s != last; s += step) {
      const Vec4<T> next = in[at(s + step)].c[colour][half];
      out[at(s)].c[colour][half] = a_ * in[at(s)].c[colour][half] - next;
    }
    out[at(last)].c[colour][half] = a_ * in[at(last)].c[colour][half] + mass_ * start;
  });
  charge(parity, host::fifth_dimension_kernel(false));
}

template <class T>
void DomainWallTerm<T>::apply_inverse(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                                      bool dagger) {
  const T inverse = 1 / a_;
  columns(parity, [&](int site, int sites, int colour, int half) {
    const bool up = (half == 1) != dagger;
    const auto at = [&](int s) { return static_cast<std::size_t>(s * sites + site); };
    const int first = up ? 0 : length_ - 1, last = length_ - 1 - first, step = up ? 1 : -1;
    // a x_s - x_next = b_s, and a x_last + m x_first = b_last. x_first = sum_k b_k / a^(k+1) +
    // x_last / a^(length-1), k from the first on: that gives x_last, and the others from it.
    Vec4<T> sum = {};
    T power = inverse;
    for (int s = first; s != last; s += step) {
      sum = sum + power * in[at(s)].c[colour][half];
      power = power * inverse;
    }
    Vec4<T> x = close_ * (in[at(last)].c[colour][half] - mass_ * sum);
    out[at(last)].c[colour][half] = x;
    for (int s = last; s != first;) {
      s -= step;
      x = inverse * (in[at(s)].c[colour][half] + x);
      out[at(s)].c[colour][half] = x;
    }
  });
  charge(parity, host::fifth_dimension_kernel(true));
}

template class DomainWallTerm<double>;
template class DomainWallTerm<float>;

}  // namespace ht::dirac
