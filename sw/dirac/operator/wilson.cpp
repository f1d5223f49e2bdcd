// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/wilson.hpp"

namespace ht::dirac {

template <class T>
void FullMatrix<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) {
  hop_.apply(Targets::All, dagger ? -sign_ : sign_, out, in);
  linear_.scale_add(out, a_, in, -b_);
}

template <class T>
double FullMatrix<T>::apply_norm2(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) {
  hop_.apply(Targets::All, dagger ? -sign_ : sign_, out, in);
  return linear_.scale_add_norm2(out, a_, in, -b_);
}

template <class T>
SchurMatrix<T>::SchurMatrix(HoppingTerm<T>& hop, Linear<T>& linear, Targets targets, double a,
                            double b, int sign)
    : hop_(hop),
      linear_(linear),
      targets_(targets),
      others_(targets == Targets::Even ? Targets::Odd : Targets::Even),
      a_(a),
      b_(b),
      sign_(sign),
      other_(static_cast<std::size_t>(hop.source_count(targets))) {}

template <class T>
void SchurMatrix<T>::apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) {
  const int sign = dagger ? -sign_ : sign_;
  hop_.apply(others_, sign, other_, in, targets_);
  hop_.apply(targets_, sign, out, other_);
  linear_.scale_add(out, a_, in, -b_ * b_ / a_, Linear<T>::Operand::InRegisters);
}

template <class T>
double SchurMatrix<T>::apply_norm2(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) {
  const int sign = dagger ? -sign_ : sign_;
  hop_.apply(others_, sign, other_, in, targets_);
  hop_.apply(targets_, sign, out, other_);
  return linear_.scale_add_norm2(out, a_, in, -b_ * b_ / a_, Linear<T>::Operand::InRegisters);
}

template <class T>
SpinorField<T> SchurMatrix<T>::prepare(const WholeField<T>& source) {
  const auto p = static_cast<std::size_t>(targets_);
  SpinorField<T> out(size());
  hop_.apply(targets_, sign_, out, source.half[1 - p]);
  linear_.scale_add(out, 1, source.half[p], b_ / a_);
  return out;
}

template <class T>
void SchurMatrix<T>::reconstruct(WholeField<T>& solution, const WholeField<T>& source) {
  const auto p = static_cast<std::size_t>(targets_);
  SpinorField<T>& x = solution.half[1 - p];
  x.resize(other_.size());
  hop_.apply(others_, sign_, x, solution.half[p]);
  linear_.scale_add(x, 1 / a_, source.half[1 - p], b_ / a_);
}

template <class T>
std::pair<double, double> SchurMatrix<T>::residual(const WholeField<T>& source,
                                                   const WholeField<T>& solution) {
  LocalSum residual = linear_.local(), norm = linear_.local();
  for (const Targets t : {Targets::Even, Targets::Odd}) {
    const auto p = static_cast<std::size_t>(t);
    SpinorField<T> r(static_cast<std::size_t>(hop_.target_count(t)));
    hop_.apply(t, sign_, r, solution.half[1 - p]);
    linear_.scale_add(r, -a_, solution.half[p], b_);
    linear_.add(r, 1, source.half[p]);
    linear_.add_norm2_to(residual, r);
    linear_.add_norm2_to(norm, source.half[p]);
  }
  const double above = linear_.reduce(residual);
  return {above, linear_.reduce(norm)};
}

template class FullMatrix<double>;
template class FullMatrix<float>;
template class SchurMatrix<double>;
template class SchurMatrix<float>;

}  // namespace ht::dirac
