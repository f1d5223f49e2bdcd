// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sw/dirac/evolve/momenta.hpp"
#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/operator/diagonal_term.hpp"
#include "sw/dirac/operator/hopping.hpp"
#include "sw/dirac/positive_solver.hpp"

namespace ht::dirac {

/// A = 1/(2 kappa) + i mu gamma_5 on every site: Wilson's diagonal with a twisted mass mu
/// (Frezzotti, Grassi, Sint and Weisz, hep-lat/0101001), the same for both parities.
class TwistedMass final : public DiagonalTerm<double> {
 public:
  TwistedMass(double kappa, double mu, PhaseClock& clock)
      : a_(1 / (2 * kappa)), mu_(mu), clock_(clock) {}
  int fields() const override { return 1; }
  void apply(int parity, SpinorField<double>& out, const SpinorField<double>& in,
             bool dagger) override;
  void apply_inverse(int parity, SpinorField<double>& out, const SpinorField<double>& in,
                     bool dagger) override;

 private:
  void multiply(SpinorField<double>& out, const SpinorField<double>& in, double re, double im);

  double a_, mu_;
  PhaseClock& clock_;
};

/// Two degenerate flavours of Wilson fermions, with twisted masses of both signs: the determinant
/// of M^dagger M, M = A - b^2 D A^-1 D the odd sites' complement of A - D/2, as an integral over a
/// field phi of these sites with weight exp(-phi^dagger (M^dagger M)^-1 phi). Collective; the same
/// bits on every node grid.
class TwoFlavours {
 public:
  struct Options {
    double kappa = 0.1;
    double mu = 0;  ///< twisted mass
    std::array<double, 4> boundary{1, 1, 1, -1};
    SolverLimits limits;  ///< of every solve
  };

  TwoFlavours(const Geometry& geometry, Reducer& reduce, PhaseClock& clock, Options options);

  /// Draws phi = M^dagger eta, eta normal, a function of seed, trajectory and site; returns the
  /// action |eta|^2.
  double refresh(const LinkFields& links, std::uint64_t seed, std::uint32_t trajectory);
  /// phi^dagger (M^dagger M)^-1 phi. Throws NotConvergedError.
  double action(const LinkFields& links);
  /// force += W with dS = sum Re tr (T W) for dU = T U. Throws NotConvergedError.
  void add_force(const LinkFields& links, LinkFields& force);

  /// Iterations of conjugate gradient so far.
  int iterations() const { return iterations_; }

 private:
  using Field = SpinorField<double>;

  void take(const LinkFields& links);
  /// (M^dagger M)^-1 phi
  Field solve();

  const Geometry& geometry_;
  PhaseClock& clock_;
  Options options_;
  double b_ = 0.5;
  Linear<double> linear_;
  LocalLinks<double> links_;  ///< those of fermions, as the hopping term has them
  HoppingTerm<double> hop_;
  TwistedMass diagonal_;
  PreconditionedMatrix<double> matrix_;
  NormalMatrix<double> normal_;
  FieldShift<Spinor<double>> shift_;
  Field phi_;
  int iterations_ = 0;
};

}  // namespace ht::dirac
