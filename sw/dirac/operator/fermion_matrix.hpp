// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#include "sw/dirac/operator/linear.hpp"
#include "sw/dirac/operator/spinor.hpp"

namespace ht::dirac {

/// A matrix that a solver inverts, over all nodes.
template <class T, template <class> class Site = Spinor>
class FermionMatrix {
 public:
  using Field = FermionField<T, Site>;

  virtual ~FermionMatrix() = default;
  /// Sites of its fields on this node (times the length of the fifth dimension, if there is one).
  virtual std::size_t size() const = 0;
  /// out = M in, or M^dagger in. Collective.
  virtual void apply(Field& out, const Field& in, bool dagger) = 0;
  /// The same, and |out|^2 over all nodes.
  virtual double apply_norm2(Field& out, const Field& in, bool dagger) = 0;
};

/// A hermitian and positive matrix A, which conjugate gradient can invert as it is.
template <class T, template <class> class Site = Spinor>
class PositiveMatrix {
 public:
  using Field = FermionField<T, Site>;

  virtual ~PositiveMatrix() = default;
  virtual std::size_t size() const = 0;
  /// out = A in; returns <in, A in> over all nodes. Collective.
  virtual double apply(Field& out, const Field& in) = 0;
};

/// M^dagger M.
template <class T, template <class> class Site = Spinor>
class NormalMatrix final : public PositiveMatrix<T, Site> {
 public:
  using Field = FermionField<T, Site>;

  explicit NormalMatrix(FermionMatrix<T, Site>& m) : m_(m), between_(m.size()) {}
  std::size_t size() const override { return m_.size(); }
  double apply(Field& out, const Field& in) override {
    const double curvature = m_.apply_norm2(between_, in, false);
    m_.apply(out, between_, true);
    return curvature;
  }

 private:
  FermionMatrix<T, Site>& m_;
  Field between_;
};

}  // namespace ht::dirac
