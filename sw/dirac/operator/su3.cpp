// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/su3.hpp"

#include <cmath>

namespace ht::dirac {
namespace {

void normalise(double (&row)[3][2]) {
  double norm = 0;
  for (const auto& c : row) norm += c[0] * c[0] + c[1] * c[1];
  const double scale = 1 / std::sqrt(norm);
  for (auto& c : row) {
    c[0] *= scale;
    c[1] *= scale;
  }
}

}  // namespace

double unitarity_defect(const Link& u) {
  double worst = 0;
  // fmax would hide a NaN.
  const auto take = [&worst](double x) {
    if (!(std::fabs(x) <= worst)) worst = std::fabs(x);
  };
  const Link p = multiply(u, adjoint(u));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      take(p.e[i][j][0] - (i == j ? 1 : 0));
      take(p.e[i][j][1]);
      if (std::isnan(worst)) return worst;
    }
  }
  // det u = row 1 x row 2 . row 3
  Link v = u;
  complete_third_row(v);
  double re = 0, im = 0;
  for (std::size_t j = 0; j < 3; ++j) {
    re += v.e[2][j][0] * u.e[2][j][0] + v.e[2][j][1] * u.e[2][j][1];
    im += v.e[2][j][0] * u.e[2][j][1] - v.e[2][j][1] * u.e[2][j][0];
  }
  take(re - 1);
  take(im);
  return worst;
}

void project_su3(Link& u) {
  normalise(u.e[0]);
  double re = 0, im = 0;  // <row 0, row 1>
  for (std::size_t j = 0; j < 3; ++j) {
    const auto& a = u.e[0][j];
    const auto& b = u.e[1][j];
    re += a[0] * b[0] + a[1] * b[1];
    im += a[0] * b[1] - a[1] * b[0];
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const auto& a = u.e[0][j];
    u.e[1][j][0] -= re * a[0] - im * a[1];
    u.e[1][j][1] -= re * a[1] + im * a[0];
  }
  normalise(u.e[1]);
  complete_third_row(u);
}

}  // namespace ht::dirac
