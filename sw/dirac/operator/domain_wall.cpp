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
      clock_(clock),
      apply_(fifth_dimension_kernel<T>()),
      apply_inverse_(inverse_fifth_dimension_kernel<T>()) {
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
void DomainWallTerm<T>::charge(int parity, const host::Kernel& kernel) const {
  if (geometry_.parity_count(parity) == 0) return;
  clock_.meter().kernel(
      {.sites = static_cast<std::int64_t>(geometry_.parity_count(parity)) * length_,
       .real_bytes = static_cast<int>(sizeof(T)),
       .kernel = kernel});
}

template <class T>
FifthDimensionArguments<T> DomainWallTerm<T>::arguments(int parity, SpinorField<T>& out,
                                                        const SpinorField<T>& in,
                                                        bool dagger) const {
  return {.out = out.data(),
          .in = in.data(),
          .sites = geometry_.parity_count(parity),
          .length = length_,
          .a = a_,
          .mass = mass_,
          .close = close_,
          .dagger = dagger};
}

template <class T>
void DomainWallTerm<T>::apply(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                              bool dagger) {
  apply_(arguments(parity, out, in, dagger));
  charge(parity, host::fifth_dimension_kernel(false));
}

template <class T>
void DomainWallTerm<T>::apply_inverse(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                                      bool dagger) {
  apply_inverse_(arguments(parity, out, in, dagger));
  charge(parity, host::fifth_dimension_kernel(true));
}

template class DomainWallTerm<double>;
template class DomainWallTerm<float>;

}  // namespace ht::dirac
