// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>

namespace ht::dirac {

/// A 3x3 complex matrix, row-major, (re, im). Written out in real arithmetic in a fixed order, so
/// that its bits depend on no compiler option.
template <class T>
struct Matrix {
  T e[3][3][2];
};
using Link = Matrix<double>;
/// The four links of a site: x, y, z, t; link mu goes from x to x + mu.
using SiteLinks = std::array<Link, 4>;

constexpr Link unit_link() {
  Link u{};
  for (std::size_t i = 0; i < 3; ++i) u.e[i][i][0] = 1;
  return u;
}

/// a b
constexpr Link multiply(const Link& a, const Link& b) {
  Link c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      double re = 0, im = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        re += a.e[i][k][0] * b.e[k][j][0] - a.e[i][k][1] * b.e[k][j][1];
        im += a.e[i][k][0] * b.e[k][j][1] + a.e[i][k][1] * b.e[k][j][0];
      }
      c.e[i][j][0] = re;
      c.e[i][j][1] = im;
    }
  }
  return c;
}

/// Hermitian conjugate.
constexpr Link adjoint(const Link& a) {
  Link c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      c.e[i][j][0] = a.e[j][i][0];
      c.e[i][j][1] = -a.e[j][i][1];
    }
  }
  return c;
}

/// Re tr a
constexpr double real_trace(const Link& a) {
  return a.e[0][0][0] + a.e[1][1][0] + a.e[2][2][0];
}

/// Re tr (a b^dagger)
constexpr double real_trace_product_adjoint(const Link& a, const Link& b) {
  double sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      sum += a.e[i][j][0] * b.e[i][j][0] + a.e[i][j][1] * b.e[i][j][1];
    }
  }
  return sum;
}

/// Sets row 3 to the complex conjugate of row 1 x row 2, which makes the determinant 1 if those are
/// orthonormal.
constexpr void complete_third_row(Link& u) {
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t k = (j + 1) % 3, l = (j + 2) % 3;
    const auto& a = u.e[0];
    const auto& b = u.e[1];
    u.e[2][j][0] =
        (a[k][0] * b[l][0] - a[k][1] * b[l][1]) - (a[l][0] * b[k][0] - a[l][1] * b[k][1]);
    u.e[2][j][1] =
        -((a[k][0] * b[l][1] + a[k][1] * b[l][0]) - (a[l][0] * b[k][1] + a[l][1] * b[k][0]));
  }
}

/// Largest element of |u u^dagger - 1| (real and imaginary parts apart) and of |det u - 1|, which
/// sees what the first cannot: a lost determinant. NaN if any element is.
double unitarity_defect(const Link& u);

/// Gram-Schmidt on the first two rows, the third completed: the element of SU(3) next to u. The
/// rows must be linearly independent. Uses sqrt and division only, whose bits are the same on
/// every computer.
void project_su3(Link& u);

}  // namespace ht::dirac
