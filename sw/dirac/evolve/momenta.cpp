// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/evolve/momenta.hpp"

#include <cmath>

#include "verif/model/common/logarithm.hpp"

namespace ht::dirac {

double NormalStream::next() {
  if (have_) {
    have_ = false;
    return second_;
  }
  double x = 0, y = 0, norm = 0;
  do {
    x = uniform_.next_signed();
    y = uniform_.next_signed();
    norm = x * x + y * y;
  } while (norm >= 1 || norm == 0);
  const double scale = std::sqrt(2 * model::minus_log(norm) / norm);
  have_ = true;
  second_ = scale * y;
  return scale * x;
}

Link draw_momentum(NormalStream& random) {
  // i times a hermitian matrix sum_a g_a lambda_a / sqrt(2) of Gell-Mann's, each g_a normal.
  double g[8];
  for (double& x : g) x = random.next();
  const double half = std::sqrt(0.5), sixth = std::sqrt(1.0 / 6);
  Link p{};
  const auto off = [&](std::size_t i, std::size_t j, double re, double im) {
    // H_ij = (re - i im) / sqrt(2), P = i H
    p.e[i][j][0] = half * im;
    p.e[i][j][1] = half * re;
    p.e[j][i][0] = -half * im;
    p.e[j][i][1] = half * re;
  };
  off(0, 1, g[0], g[1]);
  off(0, 2, g[3], g[4]);
  off(1, 2, g[5], g[6]);
  p.e[0][0][1] = half * g[2] + sixth * g[7];
  p.e[1][1][1] = -half * g[2] + sixth * g[7];
  p.e[2][2][1] = -2 * sixth * g[7];
  return p;
}

Link traceless_antihermitian(const Link& w) {
  Link out{};
  const double third = (w.e[0][0][1] + w.e[1][1][1] + w.e[2][2][1]) / 3;
  for (std::size_t i = 0; i < 3; ++i) {
    out.e[i][i][1] = w.e[i][i][1] - third;
    for (std::size_t j = i + 1; j < 3; ++j) {
      out.e[i][j][0] = 0.5 * (w.e[i][j][0] - w.e[j][i][0]);
      out.e[i][j][1] = 0.5 * (w.e[i][j][1] + w.e[j][i][1]);
      out.e[j][i][0] = -out.e[i][j][0];
      out.e[j][i][1] = out.e[i][j][1];
    }
  }
  return out;
}

Link exponential(const Link& p) {
  constexpr int kOrder = 20;
  Link sum = unit_link();
  for (int n = kOrder; n > 0; --n) {
    sum = multiply(p, sum);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t part = 0; part < 2; ++part) sum.e[i][j][part] /= n;
      }
      sum.e[i][i][0] += 1;
    }
  }
  return sum;
}

void add_kinetic_energy(const LinkFields& momenta, LocalSum& sum) {
  for (std::size_t site = 0; site < momenta[0].size(); ++site) {
    double here = 0;
    for (const LinkField& p : momenta) {
      for (const auto& row : p[site].e) {
        for (const auto& z : row) here += z[0] * z[0] + z[1] * z[1];
      }
    }
    sum.add(here / 2);
  }
}

}  // namespace ht::dirac
