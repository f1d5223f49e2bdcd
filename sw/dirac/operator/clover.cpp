// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/operator/clover.hpp"

#include <fmt/format.h>

#include <complex>

#include "sw/host/errors.hpp"
#include "sw/host/lattice_kernels.hpp"

namespace ht::dirac {
namespace {

using Complex = std::complex<double>;
using Block = std::array<std::array<Complex, 6>, 6>;
using Spins = std::array<std::array<Complex, 2>, 2>;

/// Written out: std::complex's product may differ between compilers where numbers are not finite.
Complex times(Complex a, Complex b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// B_mu of gamma_mu = (0 B; B^dagger 0): sw/dirac/README.md.
Spins upper_right(int mu) {
  const Complex i(0, 1);
  switch (mu) {
    case 0:
      return {{{0, i}, {i, 0}}};
    case 1:
      return {{{0, -1}, {1, 0}}};
    case 2:
      return {{{i, 0}, {0, -i}}};
    default:
      return {{{1, 0}, {0, 1}}};
  }
}

Spins adjoint(const Spins& a) {
  Spins out;
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) out[i][j] = std::conj(a[j][i]);
  }
  return out;
}

Spins product(const Spins& a, const Spins& b) {
  Spins out{};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) {
      for (std::size_t k = 0; k < 2; ++k) out[i][j] += times(a[i][k], b[k][j]);
    }
  }
  return out;
}

/// gamma_mu gamma_nu on spins 0, 1 (chirality 0) or 2, 3.
Spins two_gammas(int mu, int nu, int chirality) {
  const Spins a = upper_right(mu), b = upper_right(nu);
  return chirality == 0 ? product(a, adjoint(b)) : product(adjoint(a), b);
}

/// The inverse of a hermitian block by Gauss and Jordan, row by row without exchanges: pivots of a
/// matrix near a positive one do not vanish. False if one does.
bool invert(Block& a) {
  for (std::size_t k = 0; k < 6; ++k) {
    const double size = a[k][k].real() * a[k][k].real() + a[k][k].imag() * a[k][k].imag();
    if (!(size > 1e-24)) return false;
    const Complex pivot{a[k][k].real() / size, -a[k][k].imag() / size};
    a[k][k] = 1;
    for (Complex& z : a[k]) z = times(z, pivot);
    for (std::size_t i = 0; i < 6; ++i) {
      if (i == k) continue;
      const Complex factor = a[i][k];
      a[i][k] = 0;
      for (std::size_t j = 0; j < 6; ++j) a[i][j] -= times(factor, a[k][j]);
    }
  }
  return true;
}

template <class T>
void pack(CloverSite<T>& site, int chirality, const Block& a) {
  const int lane = 2 * chirality;
  for (std::size_t i = 0; i < 6; ++i) {
    site.diagonal[i / 2][lane + static_cast<int>(i % 2)] = static_cast<T>(a[i][i].real());
    for (std::size_t j = 0; j < i; ++j) {
      Vec4<T>& element = site.below[i * (i - 1) / 2 + j];
      element[lane] = static_cast<T>(a[i][j].real());
      element[lane + 1] = static_cast<T>(a[i][j].imag());
    }
  }
}

}  // namespace

std::array<LinkField, 6> field_strength(LinkShift& shift, const LocalLinks<double>& links) {
  std::array<LinkField, 4> u;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    for (const SiteLinks& site : links) u[mu].push_back(site[mu]);
  }
  std::array<LinkField, 6> out;
  std::size_t plane = 0;
  for (int mu = 0; mu < 4; ++mu) {
    for (int nu = mu + 1; nu < 4; ++nu, ++plane) {
      const LinkField& a = u[static_cast<std::size_t>(mu)];
      const LinkField& b = u[static_cast<std::size_t>(nu)];
      const LinkField b_far = shift(b, direction_of(mu, 1)), a_far = shift(a, direction_of(nu, 1));
      // The plaquette's four corners, each the start of its round: one field of each, moved to
      // where that corner is x.
      const LinkField corner = multiply(a, b_far), other = multiply(b, a_far);
      LinkField sum = multiply_adjoint(corner, other);
      // b a_far b_far^dagger a^dagger from x + mu: b_far a_far^dagger b^dagger a.
      add(sum, 1,
          shift(multiply(multiply_adjoint(b_far, a_far), adjoint_multiply(b, a)),
                direction_of(mu, -1)));
      // From x + nu: b^dagger a b_far a_far^dagger.
      add(sum, 1,
          shift(multiply(adjoint_multiply(b, a), multiply_adjoint(b_far, a_far)),
                direction_of(nu, -1)));
      // From x + mu + nu: a_far^dagger b^dagger a b_far.
      add(sum, 1,
          shift(shift(adjoint_multiply(other, corner), direction_of(mu, -1)),
                direction_of(nu, -1)));
      out[plane].resize(sum.size());
      for (std::size_t s = 0; s < sum.size(); ++s) {
        const Link dagger = adjoint(sum[s]);
        for (std::size_t i = 0; i < 3; ++i) {
          for (std::size_t j = 0; j < 3; ++j) {
            for (std::size_t part = 0; part < 2; ++part)
              out[plane][s].e[i][j][part] = 0.125 * (sum[s].e[i][j][part] - dagger.e[i][j][part]);
          }
        }
      }
    }
  }
  return out;
}

template <class T>
CloverTerm<T>::CloverTerm(LinkShift& shift, const LocalLinks<double>& links, double kappa,
                          double csw, PhaseClock& clock)
    : geometry_(shift.geometry()), clock_(clock), kernel_(clover_kernel<T>()) {
  const std::array<LinkField, 6> strength = field_strength(shift, links);
  blocks_.resize(links.size());
  inverse_.resize(links.size());
  for (std::size_t site = 0; site < links.size(); ++site) {
    for (int chirality = 0; chirality < 2; ++chirality) {
      Block a{};
      for (std::size_t i = 0; i < 6; ++i) a[i][i] = 1 / (2 * kappa);
      std::size_t plane = 0;
      for (int mu = 0; mu < 4; ++mu) {
        for (int nu = mu + 1; nu < 4; ++nu, ++plane) {
          const Spins spins = two_gammas(mu, nu, chirality);
          const Link& g = strength[plane][site];
          for (std::size_t i = 0; i < 6; ++i) {
            for (std::size_t j = 0; j < 6; ++j) {
              const Complex here{g.e[i % 3][j % 3][0], g.e[i % 3][j % 3][1]};
              a[i][j] -= csw / 2 * times(spins[i / 3][j / 3], here);
            }
          }
        }
      }
      pack(blocks_[site], chirality, a);
      if (!invert(a))
        throw DataError(fmt::format(
            "the clover term of site {} has no inverse; c_sw {} is too large for this field",
            to_string(geometry_.global_place(static_cast<int>(site))), csw));
      pack(inverse_[site], chirality, a);
    }
  }
}

template <class T>
void CloverTerm<T>::multiply(const Blocks& blocks, int parity, SpinorField<T>& out,
                             const SpinorField<T>& in) {
  if (in.empty()) return;
  const auto first = static_cast<std::size_t>(geometry_.parity_begin(parity));
  kernel_({.out = out.data(), .in = in.data(), .blocks = &blocks[first], .sites = in.size()});
  clock_.meter().kernel({.sites = static_cast<std::int64_t>(in.size()),
                         .real_bytes = static_cast<int>(sizeof(T)),
                         .kernel = host::clover_kernel()});
}

template <class T>
void CloverTerm<T>::apply(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                          bool /*dagger: hermitian*/) {
  multiply(blocks_, parity, out, in);
}

template <class T>
void CloverTerm<T>::apply_inverse(int parity, SpinorField<T>& out, const SpinorField<T>& in,
                                  bool /*dagger: hermitian*/) {
  multiply(inverse_, parity, out, in);
}

template class CloverTerm<double>;
template class CloverTerm<float>;

}  // namespace ht::dirac
