// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <vector>

#include "sw/dirac/gauge/local_gauge.hpp"
#include "sw/dirac/operator/clover_kernel.hpp"
#include "sw/dirac/operator/diagonal_term.hpp"
#include "sw/dirac/operator/link_field.hpp"

namespace ht::dirac {

/// The clover term (Sheikholeslami and Wohlert, Nucl. Phys. B 259 (1985) 572) with the diagonal of
/// Wilson's matrix,
///   A(x) = 1/(2 kappa) - c_sw/2 sum_(mu < nu) gamma_mu gamma_nu G_munu(x),
/// G = (Q - Q^dagger)/8, Q the sum of the four plaquettes that leave x in the plane: in the
/// continuum a^2 [D_mu, D_nu]. A has two hermitian blocks, of spins 0, 1 and of spins 2, 3. 504
/// flop a site to apply, and to apply its inverse.
template <class T>
class CloverTerm final : public DiagonalTerm<T> {
 public:
  /// Collective. `links` are periodic. Throws DataError if a block cannot be inverted: c_sw or the
  /// field is too large.
  CloverTerm(LinkShift& shift, const LocalLinks<double>& links, double kappa, double csw,
             PhaseClock& clock);

  int fields() const override { return 1; }
  void apply(int parity, SpinorField<T>& out, const SpinorField<T>& in, bool dagger) override;
  void apply_inverse(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                     bool dagger) override;

 private:
  using Blocks = std::vector<CloverSite<T>>;  ///< [stored site]

  void multiply(const Blocks& blocks, int parity, SpinorField<T>& out, const SpinorField<T>& in);

  const Geometry& geometry_;
  PhaseClock& clock_;
  LoopOn<CloverArguments<T>> kernel_;
  Blocks blocks_, inverse_;
};

/// The field strength G_munu of all sites, mu < nu in the order xy, xz, xt, yz, yt, zt. Collective.
std::array<LinkField, 6> field_strength(LinkShift& shift, const LocalLinks<double>& links);

}  // namespace ht::dirac
