// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <utility>

#include "sw/dirac/operator/fermion_matrix.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/linear.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

/// A field of all local sites, in two halves by parity.
template <class T>
struct WholeField {
  SpinorField<T> half[2];  ///< even, odd
};

/// M = a - b D on all sites. Wilson's matrix in Chroma's normalisation is a = 1/(2 kappa), b = 1/2,
/// in MILC's a = 1, b = kappa with sign -1.
template <class T>
class FullMatrix final : public FermionMatrix<T> {
 public:
  FullMatrix(HoppingTerm<T>& hop, Linear<T>& linear, double a, double b, int sign = 1)
      : hop_(hop), linear_(linear), a_(a), b_(b), sign_(sign) {}
  std::size_t size() const override {
    return static_cast<std::size_t>(hop_.target_count(Targets::All));
  }
  void apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;
  double apply_norm2(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;

 private:
  HoppingTerm<T>& hop_;
  Linear<T>& linear_;
  double a_, b_;
  int sign_;
};

/// The Schur complement of M = a - b D on the sites of one parity: a - b^2/a D D. (MILC's 1 -
/// kappa^2 D D is a = 1, b = kappa.)
template <class T>
class SchurMatrix final : public FermionMatrix<T> {
 public:
  SchurMatrix(HoppingTerm<T>& hop, Linear<T>& linear, Targets targets, double a, double b,
              int sign = 1);
  std::size_t size() const override {
    return static_cast<std::size_t>(hop_.target_count(targets_));
  }
  void apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;
  double apply_norm2(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;

  /// b' = b_p + (b/a) D b_(1-p): the right-hand side of the complement's equation.
  SpinorField<T> prepare(const WholeField<T>& source);
  /// x of the other parity: (b_(1-p) + b D x_p) / a. `solution` holds x_p already.
  void reconstruct(WholeField<T>& solution, const WholeField<T>& source);
  /// |source - M solution|^2 and |source|^2 of the whole system, over all nodes.
  std::pair<double, double> residual(const WholeField<T>& source, const WholeField<T>& solution);

 private:
  HoppingTerm<T>& hop_;
  Linear<T>& linear_;
  Targets targets_, others_;
  double a_, b_;
  int sign_;
  SpinorField<T> other_;  ///< work space
};

}  // namespace ht::dirac
