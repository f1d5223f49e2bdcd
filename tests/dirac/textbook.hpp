// SPDX-License-Identifier: Apache-2.0
#pragma once
// The Wilson operator as a textbook writes it: 4x4 gamma matrices, 3x3 links, all sites in
// lexicographic order, no tricks. Shares nothing with sw/dirac but the container of the links.
#include <array>
#include <complex>
#include <vector>

#include "sw/dirac/gauge/gauge.hpp"

namespace ht::test {

using Complex = std::complex<double>;
using Gamma = std::array<std::array<Complex, 4>, 4>;
using TextSpinor = std::array<std::array<Complex, 3>, 4>;  ///< [spin][colour]
using TextField = std::vector<TextSpinor>;
using dirac::Coordinates;
using dirac::GlobalGauge;

/// DeGrand-Rossi gamma_mu, mu = 0..3 for x, y, z, t, as printed in the manuals of QDP and Chroma.
inline Gamma gamma_matrix(int mu) {
  const Complex i(0, 1), one(1, 0), o(0, 0);
  switch (mu) {
    case 0:
      return {{{o, o, o, i}, {o, o, i, o}, {o, -i, o, o}, {-i, o, o, o}}};
    case 1:
      return {{{o, o, o, -one}, {o, o, one, o}, {o, one, o, o}, {-one, o, o, o}}};
    case 2:
      return {{{o, o, i, o}, {o, o, o, -i}, {-i, o, o, o}, {o, i, o, o}}};
    default:
      return {{{o, o, one, o}, {o, o, o, one}, {one, o, o, o}, {o, one, o, o}}};
  }
}

inline Gamma product(const Gamma& a, const Gamma& b) {
  Gamma c{};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      for (std::size_t k = 0; k < 4; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

inline Gamma gamma5() {
  return product(product(gamma_matrix(0), gamma_matrix(1)),
                 product(gamma_matrix(2), gamma_matrix(3)));
}

inline TextSpinor operator*(const Gamma& g, const TextSpinor& s) {
  TextSpinor out{};
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < 4; ++b) {
      for (std::size_t c = 0; c < 3; ++c) out[a][c] += g[a][b] * s[b][c];
    }
  }
  return out;
}

inline Complex link_element(const dirac::Link& u, std::size_t i, std::size_t j) {
  return {u.e[i][j][0], u.e[i][j][1]};
}

/// D psi = sum_mu (1 - s gamma_mu) U_mu(x) psi(x + mu) + (1 + s gamma_mu) U_mu(x - mu)^dagger
/// psi(x - mu); links leaving the last slice of axis mu are multiplied by boundary[mu].
inline TextField textbook_hop(const GlobalGauge& gauge, const std::array<double, 4>& boundary,
                              int sign, const TextField& psi) {
  TextField out(psi.size());
  for (std::size_t site = 0; site < psi.size(); ++site) {
    const Coordinates x = dirac::coordinates_of(static_cast<std::int64_t>(site), gauge.lattice);
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const int length = gauge.lattice[mu];
      const Gamma g = gamma_matrix(static_cast<int>(mu));
      for (const int step : {1, -1}) {
        Coordinates y = x;
        y[mu] = (x[mu] + step + length) % length;
        const TextSpinor& there =
            psi[static_cast<std::size_t>(dirac::lexicographic(y, gauge.lattice))];
        const Coordinates& from = step > 0 ? x : y;  // where the link starts
        const double factor = from[mu] == length - 1 ? boundary[mu] : 1;
        const dirac::Link& u = gauge.at(from)[mu];
        TextSpinor moved{};
        for (std::size_t a = 0; a < 4; ++a) {
          for (std::size_t i = 0; i < 3; ++i) {
            for (std::size_t j = 0; j < 3; ++j) {
              const Complex m = step > 0 ? link_element(u, i, j) : std::conj(link_element(u, j, i));
              moved[a][i] += factor * m * there[a][j];
            }
          }
        }
        const TextSpinor turned = g * moved;
        for (std::size_t a = 0; a < 4; ++a) {
          for (std::size_t i = 0; i < 3; ++i) {
            out[site][a][i] += moved[a][i] - static_cast<double>(step * sign) * turned[a][i];
          }
        }
      }
    }
  }
  return out;
}

/// <a, b>
inline Complex dot(const TextField& a, const TextField& b) {
  Complex sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t c = 0; c < 3; ++c) sum += std::conj(a[i][s][c]) * b[i][s][c];
    }
  }
  return sum;
}

inline double distance(const TextField& a, const TextField& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t c = 0; c < 3; ++c)
        worst = std::max(worst, std::abs(a[i][s][c] - b[i][s][c]));
    }
  }
  return worst;
}

}  // namespace ht::test
