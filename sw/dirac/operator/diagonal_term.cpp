// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/diagonal_term.hpp"

namespace ht::dirac {

template <class T>
PreconditionedMatrix<T>::PreconditionedMatrix(HoppingTerm<T>& hop, DiagonalTerm<T>& diagonal,
                                              Linear<T>& linear, Targets targets, double b)
    : hop_(hop),
      diagonal_(diagonal),
      linear_(linear),
      targets_(targets),
      others_(targets == Targets::Even ? Targets::Odd : Targets::Even),
      parity_(targets == Targets::Even ? 0 : 1),
      b_(b),
      between_(sites(others_)),
      hopped_(sites(targets_)) {}

template <class T>
void PreconditionedMatrix<T>::two_hops(const SpinorField<T>& in, bool dagger) {
  const int sign = dagger ? -1 : 1;
  hop_.apply(others_, sign, between_, in, targets_);
  diagonal_.apply_inverse(1 - parity_, between_, between_, dagger);
  hop_.apply(targets_, sign, hopped_, between_);
}

template <class T>
void PreconditionedMatrix<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) {
  two_hops(in, dagger);
  diagonal_.apply(parity_, out, in, dagger);
  linear_.add(out, -b_ * b_, hopped_);
}

template <class T>
double PreconditionedMatrix<T>::apply_norm2(SpinorField<T>& out, const SpinorField<T>& in,
                                            bool dagger) {
  two_hops(in, dagger);
  diagonal_.apply(parity_, out, in, dagger);
  return linear_.add_norm2(out, -b_ * b_, hopped_);
}

template <class T>
SpinorField<T> PreconditionedMatrix<T>::prepare(const WholeField<T>& source) {
  const auto p = static_cast<std::size_t>(parity_);
  SpinorField<T> out(size());
  diagonal_.apply_inverse(1 - parity_, between_, source.half[1 - p], false);
  hop_.apply(targets_, 1, out, between_);
  linear_.scale_add(out, 1, source.half[p], b_);
  return out;
}

template <class T>
void PreconditionedMatrix<T>::reconstruct(WholeField<T>& solution, const WholeField<T>& source) {
  const auto p = static_cast<std::size_t>(parity_);
  SpinorField<T>& x = solution.half[1 - p];
  x.resize(between_.size());
  hop_.apply(others_, 1, x, solution.half[p]);
  linear_.scale_add(x, 1, source.half[1 - p], b_);
  diagonal_.apply_inverse(1 - parity_, x, x, false);
}

template <class T>
std::pair<double, double> PreconditionedMatrix<T>::residual(const WholeField<T>& source,
                                                            const WholeField<T>& solution) {
  LocalSum residual = linear_.local(), norm = linear_.local();
  for (const Targets t : {Targets::Even, Targets::Odd}) {
    const auto p = static_cast<std::size_t>(t);
    SpinorField<T> hopped(sites(t)), r(hopped.size());
    hop_.apply(t, 1, hopped, solution.half[1 - p]);
    diagonal_.apply(static_cast<int>(p), r, solution.half[p], false);
    linear_.add(r, -b_, hopped);
    linear_.scale_add(r, 1, source.half[p], -1);
    linear_.add_norm2_to(residual, r);
    linear_.add_norm2_to(norm, source.half[p]);
  }
  const double above = linear_.reduce(residual);
  return {above, linear_.reduce(norm)};
}

template class PreconditionedMatrix<double>;
template class PreconditionedMatrix<float>;

}  // namespace ht::dirac
