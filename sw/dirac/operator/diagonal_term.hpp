// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <utility>

#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/operator/linear.hpp"
#include "sw/dirac/operator/wilson.hpp"

namespace ht::dirac {

/// What a matrix M = A - b D does within a site: A, and its inverse. Fields are of one parity,
/// with `fields` spinors a site (the fifth dimension).
template <class T>
class DiagonalTerm {
 public:
  virtual ~DiagonalTerm() = default;
  /// Spinors a site of four dimensions.
  virtual int fields() const = 0;
  /// out = A in or A^dagger in; `out` and `in` may be the same.
  virtual void apply(int parity, SpinorField<T>& out, const SpinorField<T>& in, bool dagger) = 0;
  /// out = A^-1 in or (A^dagger)^-1 in.
  virtual void apply_inverse(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                             bool dagger) = 0;
};

/// The Schur complement of M = A - b D on the sites of one parity p:
/// A_p - b^2 D_p(1-p) A_(1-p)^-1 D_(1-p)p.
template <class T>
class PreconditionedMatrix final : public FermionMatrix<T> {
 public:
  PreconditionedMatrix(HoppingTerm<T>& hop, DiagonalTerm<T>& diagonal, Linear<T>& linear,
                       Targets targets, double b);
  std::size_t size() const override { return sites(targets_); }
  void apply(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;
  double apply_norm2(SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;

  /// b' = b_p + b D A_(1-p)^-1 b_(1-p): the right-hand side of the complement's equation.
  SpinorField<T> prepare(const WholeField<T>& source);
  /// x of the other parity: A_(1-p)^-1 (b_(1-p) + b D x_p). `solution` holds x_p already.
  void reconstruct(WholeField<T>& solution, const WholeField<T>& source);
  /// |source - M solution|^2 and |source|^2 of the whole system, over all nodes.
  std::pair<double, double> residual(const WholeField<T>& source, const WholeField<T>& solution);

 private:
  std::size_t sites(Targets targets) const {
    return static_cast<std::size_t>(hop_.target_count(targets) * diagonal_.fields());
  }
  /// other_ = D A^-1 D in on the targets, without b^2.
  void two_hops(const SpinorField<T>& in, bool dagger);

  HoppingTerm<T>& hop_;
  DiagonalTerm<T>& diagonal_;
  Linear<T>& linear_;
  Targets targets_, others_;
  int parity_;
  double b_;
  SpinorField<T> between_, hopped_;  ///< work space: others, targets
};

}  // namespace ht::dirac
