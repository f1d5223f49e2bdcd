// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sw/dirac/operator/diagonal_term.hpp"
#include "sw/dirac/operator/fifth_dimension_kernel.hpp"
#include "sw/dirac/operator/lattice.hpp"
#include "sw/dirac/phase_clock.hpp"

namespace ht::dirac {

/// What Shamir's domain-wall matrix (Nucl. Phys. B 406 (1993) 90; Furman and Shamir, Nucl. Phys. B
/// 439 (1995) 54) does along the fifth dimension:
///   (M psi)_s = (5 - M5) psi_s - D psi_s / 2 - P_- psi_(s+1) - P_+ psi_(s-1),
/// s = 0 .. length - 1, P_+- = (1 +- gamma_5)/2; at the ends psi_length stands for -m psi_0 and
/// psi_(-1) for -m psi_(length-1). The quark is q = P_- psi_0 + P_+ psi_(length-1). With length 1
/// it is Wilson's matrix with 1/(2 kappa) = 5 - M5 + m. 48 flop a spinor to apply, 96 its inverse.
template <class T>
class DomainWallTerm final : public DiagonalTerm<T> {
 public:
  /// Throws UsageError unless length >= 1 and 5 - M5 > 0.
  DomainWallTerm(const Geometry& geometry, int length, double m5, double mass, PhaseClock& clock);

  int fields() const override { return length_; }
  void apply(int parity, SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;
  void apply_inverse(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                     bool dagger) override;

 private:
  FifthDimensionArguments<T> arguments(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                                       bool dagger) const;
  void charge(int parity, const host::Kernel& kernel) const;

  const Geometry& geometry_;
  int length_;
  T a_, mass_;
  T close_;  ///< 1 / (a + mass a^-(length-1)): ends the inverse's recurrence
  PhaseClock& clock_;
  LoopOn<FifthDimensionArguments<T>> apply_, apply_inverse_;
};

}  // namespace ht::dirac
