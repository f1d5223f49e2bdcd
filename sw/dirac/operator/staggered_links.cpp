// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/staggered_links.hpp"

#include <fmt/format.h>

#include "sw/host/errors.hpp"

namespace ht::dirac {
namespace {

// Coefficients at u0 = 1. Those of one hop: 5/8 + 6/16 + 24/64 + 48/384 - 6/16 = 9/8, which with
// Naik's 3 (-1/24) makes the derivative 1.
constexpr double kOneLink = 5.0 / 8, kThree = 1.0 / 16, kFive = 1.0 / 64, kSeven = 1.0 / 384,
                 kLepage = -1.0 / 16, kNaik = -1.0 / 24;

LinkField scaled(double factor, const LinkField& field) {
  LinkField out(field.size());
  add(out, factor, field);
  return out;
}

class Asqtad {
 public:
  Asqtad(LinkShift& shift, std::array<LinkField, 4> u, double u0)
      : shift_(shift), u_(std::move(u)) {
    for (int n = 0; n < 7; ++n) {
      tadpole_[static_cast<std::size_t>(n)] =
          n == 0 ? 1 : tadpole_[static_cast<std::size_t>(n) - 1] / u0;
    }
  }

  LinkField fat(int mu) {
    const LinkField& link = u_[static_cast<std::size_t>(mu)];
    LinkField sum = scaled(kOneLink, link);
    for (int nu = 0; nu < 4; ++nu) {
      if (nu == mu) continue;
      LinkField above = upper(nu, mu, link), below = lower(nu, mu, link);
      add(sum, kLepage * tadpole_[4], upper(nu, mu, above));
      add(sum, kLepage * tadpole_[4], lower(nu, mu, below));
      LinkField three = std::move(above);
      add(three, 1, below);
      add(sum, kThree * tadpole_[2], three);
      for (int rho = 0; rho < 4; ++rho) {
        if (rho == mu || rho == nu) continue;
        const LinkField five = staple(rho, mu, three);
        add(sum, kFive * tadpole_[4], five);
        const int sigma = 6 - mu - nu - rho;
        add(sum, kSeven * tadpole_[6], staple(sigma, mu, five));
      }
    }
    return sum;
  }

  LinkField naik(int mu) {
    const LinkField& link = u_[static_cast<std::size_t>(mu)];
    const LinkField next = shift_(link, direction_of(mu, 1));
    const LinkField after = shift_(next, direction_of(mu, 1));
    return scaled(kNaik * tadpole_[2], multiply(multiply(link, next), after));
  }

 private:
  /// U_nu(x) inner(x + nu) U_nu(x + mu)^dagger
  LinkField upper(int nu, int mu, const LinkField& inner) {
    const LinkField& side = u_[static_cast<std::size_t>(nu)];
    return multiply_adjoint(multiply(side, shift_(inner, direction_of(nu, 1))),
                            shift_(side, direction_of(mu, 1)));
  }

  /// U_nu(x - nu)^dagger inner(x - nu) U_nu(x - nu + mu)
  LinkField lower(int nu, int mu, const LinkField& inner) {
    const LinkField& side = u_[static_cast<std::size_t>(nu)];
    return shift_(multiply(adjoint_multiply(side, inner), shift_(side, direction_of(mu, 1))),
                  direction_of(nu, -1));
  }

  LinkField staple(int nu, int mu, const LinkField& inner) {
    LinkField sum = upper(nu, mu, inner);
    add(sum, 1, lower(nu, mu, inner));
    return sum;
  }

  LinkShift& shift_;
  std::array<LinkField, 4> u_;
  std::array<double, 7> tadpole_{};  ///< u0^-n
};

std::array<LinkField, 4> by_axis(const LocalLinks<double>& links) {
  std::array<LinkField, 4> out;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    out[mu].reserve(links.size());
    for (const SiteLinks& site : links) out[mu].push_back(site[mu]);
  }
  return out;
}

}  // namespace

StaggeredLinks one_link(const LocalLinks<double>& links) {
  return {by_axis(links), {}};
}

StaggeredLinks asqtad_links(LinkShift& shift, const LocalLinks<double>& links, double u0) {
  if (!(u0 > 0))
    throw UsageError(fmt::format("u0 of {}: give a number above 0, 1 for no tadpoles", u0));
  Asqtad asqtad(shift, by_axis(links), u0);
  StaggeredLinks out;
  for (int mu = 0; mu < 4; ++mu) {
    out.hop[static_cast<std::size_t>(mu)] = asqtad.fat(mu);
    out.naik[static_cast<std::size_t>(mu)] = asqtad.naik(mu);
  }
  return out;
}

}  // namespace ht::dirac
