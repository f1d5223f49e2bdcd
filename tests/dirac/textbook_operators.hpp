// SPDX-License-Identifier: Apache-2.0
#pragma once
// Clover, staggered, Asqtad and domain-wall operators as textbooks write them: one site after the
// other, paths walked link by link, 4x4 gamma matrices. Shares nothing with sw/dirac but the
// container of the links.
#include <array>
#include <cmath>
#include <complex>
#include <vector>

#include "tests/dirac/textbook.hpp"

namespace ht::test {

using Matrix3 = std::array<std::array<Complex, 3>, 3>;
using TextColour = std::array<Complex, 3>;
using TextColourField = std::vector<TextColour>;

inline Matrix3 unit3() {
  Matrix3 u{};
  for (std::size_t i = 0; i < 3; ++i) u[i][i] = 1;
  return u;
}

inline Matrix3 operator*(const Matrix3& a, const Matrix3& b) {
  Matrix3 c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

inline Matrix3 dagger(const Matrix3& a) {
  Matrix3 c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) c[i][j] = std::conj(a[j][i]);
  }
  return c;
}

inline void accumulate(Matrix3& sum, double factor, const Matrix3& a) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) sum[i][j] += factor * a[i][j];
  }
}

/// A step along an axis, forwards or backwards.
struct Step {
  std::size_t axis;
  int sign;
};

inline Coordinates walk(const GlobalGauge& gauge, Coordinates x, Step step) {
  const int length = gauge.lattice[step.axis];
  x[step.axis] = (x[step.axis] + step.sign + length) % length;
  return x;
}

/// The product of links along a path that begins at x.
inline Matrix3 path_product(const GlobalGauge& gauge, Coordinates x,
                            const std::vector<Step>& path) {
  Matrix3 product = unit3();
  for (const Step& step : path) {
    const Coordinates y = walk(gauge, x, step);
    Matrix3 u{};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        u[i][j] = link_element(gauge.at(step.sign > 0 ? x : y)[step.axis], i, j);
    }
    product = product * (step.sign > 0 ? u : dagger(u));
    x = y;
  }
  return product;
}

/// psi / (2 kappa) - c_sw/2 sum_(mu < nu) gamma_mu gamma_nu G_munu psi: G from four walks round the
/// plaquettes at x, each in the sense from mu to nu.
inline TextField textbook_clover(const GlobalGauge& gauge, double kappa, double csw,
                                 const TextField& psi) {
  TextField out(psi.size());
  for (std::size_t site = 0; site < psi.size(); ++site) {
    const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), gauge.lattice);
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t c = 0; c < 3; ++c) out[site][s][c] = psi[site][s][c] / (2 * kappa);
    }
    for (std::size_t mu = 0; mu < 4; ++mu) {
      for (std::size_t nu = mu + 1; nu < 4; ++nu) {
        const Step m{mu, 1}, n{nu, 1}, mb{mu, -1}, nb{nu, -1};
        Matrix3 leaves{};
        accumulate(leaves, 1, path_product(gauge, x, {m, n, mb, nb}));
        accumulate(leaves, 1, path_product(gauge, x, {n, mb, nb, m}));
        accumulate(leaves, 1, path_product(gauge, x, {mb, nb, m, n}));
        accumulate(leaves, 1, path_product(gauge, x, {nb, m, n, mb}));
        Matrix3 strength{};
        accumulate(strength, 0.125, leaves);
        accumulate(strength, -0.125, dagger(leaves));
        const Gamma gammas =
            product(gamma_matrix(static_cast<int>(mu)), gamma_matrix(static_cast<int>(nu)));
        const TextSpinor turned = gammas * psi[site];
        for (std::size_t s = 0; s < 4; ++s) {
          for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j)
              out[site][s][i] -= csw / 2 * strength[i][j] * turned[s][j];
          }
        }
      }
    }
  }
  return out;
}

/// Coefficient and paths of Asqtad's fat link along mu, all walked from x.
inline Matrix3 textbook_fat_link(const GlobalGauge& gauge, double u0, const Coordinates& x,
                                 std::size_t mu) {
  Matrix3 sum{};
  const auto power = [&](int n) { return std::pow(u0, -n); };
  const Step m{mu, 1};
  accumulate(sum, 5.0 / 8, path_product(gauge, x, {m}));
  for (std::size_t a = 0; a < 4; ++a) {
    for (const int sa : {1, -1}) {
      if (a == mu) continue;
      const Step p{a, sa}, pb{a, -sa};
      accumulate(sum, power(2) / 16, path_product(gauge, x, {p, m, pb}));
      accumulate(sum, -power(4) / 16, path_product(gauge, x, {p, p, m, pb, pb}));
      for (std::size_t b = 0; b < 4; ++b) {
        for (const int sb : {1, -1}) {
          if (b == mu || b == a) continue;
          const Step q{b, sb}, qb{b, -sb};
          accumulate(sum, power(4) / 64, path_product(gauge, x, {p, q, m, qb, pb}));
          for (std::size_t c = 0; c < 4; ++c) {
            for (const int sc : {1, -1}) {
              if (c == mu || c == a || c == b) continue;
              const Step r{c, sc}, rb{c, -sc};
              accumulate(sum, power(6) / 384, path_product(gauge, x, {p, q, r, m, rb, qb, pb}));
            }
          }
        }
      }
    }
  }
  return sum;
}

enum class TextAction { OneLink, Asqtad };

/// D chi of staggered fermions: (F chi)(x + mu) - (F^dagger chi)(x - mu), and the same of three
/// hops.
inline TextColourField textbook_staggered(const GlobalGauge& gauge,
                                          const std::array<double, 4>& boundary, TextAction action,
                                          double u0, const TextColourField& chi) {
  TextColourField out(chi.size());
  const auto matrix = [&](const Coordinates& x, std::size_t mu, int hops) {
    const std::vector<Step> straight(static_cast<std::size_t>(hops), Step{mu, 1});
    if (action == TextAction::OneLink) return path_product(gauge, x, straight);
    if (hops == 1) return textbook_fat_link(gauge, u0, x, mu);
    Matrix3 naik{};
    accumulate(naik, -1.0 / 24 * std::pow(u0, -2), path_product(gauge, x, straight));
    return naik;
  };
  const auto phase = [&](const Coordinates& x, std::size_t mu) {
    const std::array<int, 4> exponent{x[3], x[3] + x[0], x[3] + x[0] + x[1], 0};
    return exponent[mu] % 2 == 0 ? 1.0 : -1.0;
  };
  for (std::size_t site = 0; site < chi.size(); ++site) {
    const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), gauge.lattice);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const int length = gauge.lattice[mu];
      for (const int hops : {1, 3}) {
        if (hops == 3 && action == TextAction::OneLink) continue;
        for (const int sign : {1, -1}) {
          Coordinates y = x;
          y[mu] = ((x[mu] + sign * hops) % length + length) % length;
          const Coordinates& from = sign > 0 ? x : y;
          double factor = phase(from, mu) * sign;
          for (int k = 0; k < hops; ++k) {
            if ((from[mu] + k) % length == length - 1) factor *= boundary[mu];
          }
          const Matrix3 u = matrix(from, mu, hops);
          const Matrix3 used = sign > 0 ? u : dagger(u);
          const TextColour& v =
              chi[static_cast<std::size_t>(dirac::lexicographic(y, gauge.lattice))];
          for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) out[site][i] += factor * used[i][j] * v[j];
          }
        }
      }
    }
  }
  return out;
}

/// Shamir's matrix on fields by s, as (5 - M5) psi_s - D psi_s/2 - P_- psi_(s+1) - P_+ psi_(s-1).
inline std::vector<TextField> textbook_domain_wall(const GlobalGauge& gauge,
                                                   const std::array<double, 4>& boundary, double m5,
                                                   double mass, const std::vector<TextField>& psi) {
  const std::size_t length = psi.size();
  std::vector<TextField> out;
  const Gamma g5 = gamma5();
  for (std::size_t s = 0; s < length; ++s) {
    TextField here = textbook_hop(gauge, boundary, 1, psi[s]);
    const TextField& above = psi[(s + 1) % length];
    const TextField& below = psi[(s + length - 1) % length];
    const double up = s + 1 == length ? -mass : 1, down = s == 0 ? -mass : 1;
    for (std::size_t site = 0; site < here.size(); ++site) {
      const TextSpinor turned_up = g5 * above[site], turned_down = g5 * below[site];
      for (std::size_t a = 0; a < 4; ++a) {
        for (std::size_t c = 0; c < 3; ++c) {
          here[site][a][c] = (5 - m5) * psi[s][site][a][c] - here[site][a][c] / 2.0 -
                             up * (above[site][a][c] - turned_up[a][c]) / 2.0 -
                             down * (below[site][a][c] + turned_down[a][c]) / 2.0;
        }
      }
    }
    out.push_back(here);
  }
  return out;
}

}  // namespace ht::test
