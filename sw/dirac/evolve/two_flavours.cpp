// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/evolve/two_flavours.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sw/dirac/evolve/kernels.hpp"
#include "sw/host/errors.hpp"
#include "sw/host/lattice_kernels.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"

namespace ht::dirac {
namespace {

/// (re, im) of spins and colours.
struct Spins {
  double z[4][3][2];
};

Spins spins_of(const Spinor<double>& psi) {
  Spins out;
  for (int s = 0; s < 4; ++s) {
    for (int c = 0; c < 3; ++c) {
      for (int part = 0; part < 2; ++part) out.z[s][c][part] = psi.at(s, c, part);
    }
  }
  return out;
}

/// gamma_mu, row by row: the one column that is not 0, and the power of i there. gamma = (0 B;
/// B^dagger 0) with B as sw/dirac/README.md has it.
struct GammaRow {
  int column, power;
};
constexpr GammaRow kGamma[4][4] = {{{3, 1}, {2, 1}, {1, 3}, {0, 3}},
                                   {{3, 2}, {2, 0}, {1, 0}, {0, 2}},
                                   {{2, 1}, {3, 3}, {0, 3}, {1, 1}},
                                   {{2, 0}, {3, 0}, {0, 0}, {1, 0}}};

/// (1 + sign gamma_mu) psi
Spins one_plus_gamma(const Spins& psi, std::size_t mu, double sign) {
  Spins out = psi;
  for (std::size_t s = 0; s < 4; ++s) {
    const auto [column, power] = kGamma[mu][s];
    for (std::size_t c = 0; c < 3; ++c) {
      const double* const z = psi.z[column][c];
      const double re = power == 0 ? z[0] : power == 1 ? -z[1] : power == 2 ? -z[0] : z[1];
      const double im = power == 0 ? z[1] : power == 1 ? z[0] : power == 2 ? -z[1] : -z[0];
      out.z[s][c][0] += sign * re;
      out.z[s][c][1] += sign * im;
    }
  }
  return out;
}

/// sum += the sum over spins of a_i b_j^*
void add_outer(Link& sum, const Spins& a, const Spins& b) {
  for (std::size_t s = 0; s < 4; ++s) {
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const double *const x = a.z[s][i], *const y = b.z[s][j];
        sum.e[i][j][0] += x[0] * y[0] + x[1] * y[1];
        sum.e[i][j][1] += x[1] * y[0] - x[0] * y[1];
      }
    }
  }
}

}  // namespace

void TwistedMass::multiply(SpinorField<double>& out, const SpinorField<double>& in, double re,
                           double im) {
  // gamma_5 is 1 on spins 0 and 1, -1 on the others.
  for (std::size_t i = 0; i < in.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      for (int h = 0; h < 2; ++h) {
        const Vec4d z = in[i].c[c][h], turned = {-z[1], z[0], -z[3], z[2]};
        out[i].c[c][h] = re * z + (h == 0 ? im : -im) * turned;
      }
    }
  }
  charge(clock_, host::linear_kernel(24, 1, 1, 72), in.size());
}

void TwistedMass::apply(int /*parity: all the same*/, SpinorField<double>& out,
                        const SpinorField<double>& in, bool dagger) {
  multiply(out, in, a_, dagger ? -mu_ : mu_);
}

void TwistedMass::apply_inverse(int /*parity: all the same*/, SpinorField<double>& out,
                                const SpinorField<double>& in, bool dagger) {
  const double norm = a_ * a_ + mu_ * mu_;
  multiply(out, in, a_ / norm, (dagger ? mu_ : -mu_) / norm);
}

TwoFlavours::TwoFlavours(const Geometry& geometry, Reducer& reduce, PhaseClock& clock,
                         Options options)
    : geometry_(geometry),
      clock_(clock),
      options_(std::move(options)),
      linear_(clock, reduce),
      links_(static_cast<std::size_t>(geometry.volume())),
      hop_(geometry, links_, clock, {Targets::Even, Targets::Odd}),
      diagonal_(options_.kappa, options_.mu, clock),
      matrix_(hop_, diagonal_, linear_, Targets::Odd, b_),
      normal_(matrix_),
      shift_(geometry) {}

void TwoFlavours::take(const LinkFields& links) {
  LocalLinks<double> sites(links_.size());
  for (std::size_t site = 0; site < sites.size(); ++site) {
    for (std::size_t mu = 0; mu < 4; ++mu) sites[site][mu] = links[mu][site];
  }
  links_ = fermion_links<double>(geometry_, sites, options_.boundary);
  hop_.set_links(links_);
}

double TwoFlavours::refresh(const LinkFields& links, std::uint64_t seed, std::uint32_t trajectory) {
  take(links);
  Field eta(matrix_.size());
  const double half = std::sqrt(0.5);  // weight exp(-|eta|^2)
  for (std::size_t i = 0; i < eta.size(); ++i) {
    const auto site = geometry_.global_index(geometry_.parity_begin(1) + static_cast<int>(i));
    NormalStream random(
        UniformStream(seed, {static_cast<std::uint32_t>(site),
                             static_cast<std::uint32_t>(Draw::Pseudofermion), trajectory}));
    for (int s = 0; s < 4; ++s) {
      for (int c = 0; c < 3; ++c) {
        for (int part = 0; part < 2; ++part) eta[i].at(s, c, part) = half * random.next();
      }
    }
  }
  phi_.resize(eta.size());
  matrix_.apply(phi_, eta, true);
  return linear_.norm2(eta);
}

TwoFlavours::Field TwoFlavours::solve() {
  Field x;
  const SolverResult result = solve_positive(normal_, linear_, x, phi_, options_.limits);
  iterations_ += result.iterations;
  if (!std::isfinite(result.history.back()))
    throw NotConvergedError(
        fmt::format("the pseudofermions' |r|^2 is {}: its numbers grew too large; choose another "
                    "kappa, mu or boundary",
                    result.history.back()));
  if (!result.converged)
    throw NotConvergedError(
        fmt::format("the pseudofermions' solve did not converge in {} iterations; allow a larger "
                    "tolerance, more iterations if these were all, or a smaller kappa",
                    result.iterations));
  return x;
}

double TwoFlavours::action(const LinkFields& links) {
  take(links);
  const Field x = solve();
  return linear_.product(phi_, x);
}

void TwoFlavours::add_force(const LinkFields& links, LinkFields& force) {
  take(links);
  // S changes by -2 Re Y^dagger dM X = 2 b^2 Re (Y_o^dagger dD X_e + Y_e^dagger dD X_o), with X =
  // (M^dagger M)^-1 phi, Y = M X on the odd sites and X_e = A^-1 D X_o, Y_e = A^-1^dagger D^dagger
  // Y_o.
  const Field x = solve();
  Field y(x.size());
  matrix_.apply(y, x, false);
  const auto even = static_cast<std::size_t>(geometry_.parity_count(0));
  Field xs(even), ys(even);
  hop_.apply(Targets::Even, 1, xs, x);
  hop_.apply(Targets::Even, -1, ys, y);
  diagonal_.apply_inverse(0, xs, xs, false);
  diagonal_.apply_inverse(0, ys, ys, true);
  xs.insert(xs.end(), x.begin(), x.end());
  ys.insert(ys.end(), y.begin(), y.end());
  const double factor = 2 * b_ * b_;
  for (std::size_t mu = 0; mu < 4; ++mu) {
    const int direction = direction_of(static_cast<int>(mu), 1);
    const Field x_far = shift_(xs, direction), y_far = shift_(ys, direction);
    LinkField change(xs.size());
    for (std::size_t site = 0; site < xs.size(); ++site) {
      // D has (1 - gamma) U psi(x + mu) at x, (1 + gamma) U^dagger psi(x) at x + mu.
      Link outer{};
      add_outer(outer, one_plus_gamma(spins_of(x_far[site]), mu, -1), spins_of(ys[site]));
      add_outer(outer, one_plus_gamma(spins_of(y_far[site]), mu, 1), spins_of(xs[site]));
      change[site] = multiply(links_[site][mu], outer);  // with the boundary's factor
    }
    dirac::add(force[mu], factor, change);
    charge(clock_, fermion_force_kernel(), xs.size());
  }
}

}  // namespace ht::dirac
