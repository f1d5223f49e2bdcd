// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/dirac/operator/spinor.hpp"
#include "sw/dirac/phase_clock.hpp"
#include "sw/dirac/reduce.hpp"

namespace ht::dirac {

/// Linear algebra on a node's fields of spinors or colour vectors. Coefficients are rounded to the
/// fields' precision; norms and products are taken in double, one double a site in a fixed order of
/// operations.
template <class T, template <class> class Site = Spinor>
class Linear {
 public:
  using Field = FermionField<T, Site>;

  Linear(PhaseClock& clock, Reducer& reduce) : clock_(clock), reduce_(reduce) {}

  /// Where y is when it is needed: among the fields, or still in registers, since it is what a hop
  /// makes, and this is done in the hop's loop, site by site. Then only x is loaded, and y is
  /// stored once. What is charged depends on it, and nothing else.
  enum class Operand : std::uint8_t { InMemory, InRegisters };

  /// y = a x + b y
  void scale_add(Field& y, double a, const Field& x, double b,
                 Operand where = Operand::InMemory) const;
  /// y += a x
  void add(Field& y, double a, const Field& x) const;
  /// y += a x; returns |y|^2 over all nodes
  double add_norm2(Field& y, double a, const Field& x) const;
  /// y = a x + b y; returns |y|^2 over all nodes
  double scale_add_norm2(Field& y, double a, const Field& x, double b,
                         Operand where = Operand::InMemory) const;
  /// |x|^2 over all nodes
  double norm2(const Field& x) const;
  /// Re <x, y> over all nodes
  double product(const Field& x, const Field& y) const;
  /// This node's part of |x|^2, for sums of several fields.
  void add_norm2_to(LocalSum& sum, const Field& x) const;
  double reduce(LocalSum& sum) const { return reduce_(sum); }
  LocalSum local() const { return reduce_.local(); }

 private:
  void charge(std::size_t sites, int read, int written, int flops,
              Operand where = Operand::InMemory) const;

  PhaseClock& clock_;
  Reducer& reduce_;
};

/// |x|^2 of one site: its squares in double, in a fixed order.
template <class T>
double site_norm2(const Spinor<T>& x);
template <class T>
double site_norm2(const ColourVector<T>& x);

}  // namespace ht::dirac
