// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/evolve/gauge_action.hpp"

#include "sw/dirac/evolve/kernels.hpp"

namespace ht::dirac {

void GaugeAction::add(const LinkFields& links, LocalSum& action, PlaquetteSums& plaquettes) {
  // ahead[mu][nu] = U_nu(x + mu)
  std::array<LinkFields, 4> ahead;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (std::size_t nu = 0; nu < 4; ++nu) {
      if (nu != mu) ahead[mu][nu] = shift_(links[nu], direction_of(static_cast<int>(mu), 1));
    }
  }
  for (std::size_t site = 0; site < links[0].size(); ++site) {
    double sum = 0;
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t nu = mu + 1; nu < 4; ++nu) {
        sum += real_trace_product_adjoint(multiply(links[mu][site], ahead[mu][nu][site]),
                                          multiply(links[nu][site], ahead[nu][mu][site]));
      }
    }
    action.add(beta_ * (6 - sum / 3));
    plaquettes.add_site([&](int nu, int mu) -> const Link& {
      const auto n = static_cast<std::size_t>(nu);
      return mu < 0 ? links[n][site] : ahead[static_cast<std::size_t>(mu)][n][site];
    });
  }
  charge(clock_, plaquette_kernel(), links[0].size());
}

void GaugeAction::add_force(const LinkFields& links, LinkFields& force) {
  for (std::size_t mu = 0; mu < 4; ++mu) {
    LinkField staples(links[mu].size(), Link{});
    for (std::size_t nu = 0; nu < 4; ++nu) {
      if (nu == mu) continue;
      const LinkField& side = links[nu];
      const LinkField far = shift_(side, direction_of(static_cast<int>(mu), 1));
      const LinkField above = shift_(links[mu], direction_of(static_cast<int>(nu), 1));
      // U_nu(x + mu) U_mu(x + nu)^dagger U_nu(x)^dagger
      dirac::add(staples, 1, multiply_adjoint(multiply_adjoint(far, above), side));
      // U_nu(x + mu - nu)^dagger U_mu(x - nu)^dagger U_nu(x - nu)
      dirac::add(staples, 1,
                 shift_(adjoint_multiply(far, adjoint_multiply(links[mu], side)),
                        direction_of(static_cast<int>(nu), -1)));
    }
    dirac::add(force[mu], -beta_ / 3, multiply(links[mu], staples));
    charge(clock_, staples_kernel(), links[0].size());
  }
}

}  // namespace ht::dirac
