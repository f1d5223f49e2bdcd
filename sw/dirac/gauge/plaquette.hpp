// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "sw/dirac/operator/su3.hpp"
#include "verif/model/common/order_independent_sum.hpp"

namespace ht::dirac {

/// <Re tr P>/3 over all plaquettes of a kind; 1 on the unit field.
struct Plaquette {
  double space_space = 0;
  double space_time = 0;
  double average() const { return (space_space + space_time) / 2; }
};

/// Sums behind the mean values, one double a site each: independent of the order of the sites.
struct PlaquetteSums {
  model::OrderIndependentSum space_space, space_time, link_trace;

  /// Adds the six plaquettes and the four link traces of one site x. `link(nu, mu)` is U_nu(x +
  /// mu), with mu = -1 U_nu(x).
  template <class Get>
  void add_site(Get&& link) {
    double space = 0, time = 0, trace = 0;
    for (int mu = 0; mu < 4; ++mu) {
      trace += real_trace(link(mu, -1));
      for (int nu = mu + 1; nu < 4; ++nu) {
        // P = U_mu(x) U_nu(x + mu) U_mu(x + nu)^dagger U_nu(x)^dagger
        const double p = real_trace_product_adjoint(multiply(link(mu, -1), link(nu, mu)),
                                                    multiply(link(nu, -1), link(mu, nu)));
        (nu == 3 ? time : space) += p;
      }
    }
    space_space.add(space);
    space_time.add(time);
    link_trace.add(trace);
  }

  Plaquette plaquette(std::int64_t volume) const {
    const double scale = 9 * static_cast<double>(volume);  // 3 plaquettes of a kind, trace 3
    return {space_space.round() / scale, space_time.round() / scale};
  }
  double mean_link_trace(std::int64_t volume) const {
    return link_trace.round() / (12 * static_cast<double>(volume));
  }
};

}  // namespace ht::dirac
