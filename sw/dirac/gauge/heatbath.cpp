// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/heatbath.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <thread>

#include "sw/host/errors.hpp"
#include "verif/model/common/logarithm.hpp"

namespace ht::dirac {
namespace {

/// a0 + i (a1 sigma1 + a2 sigma2 + a3 sigma3) = (a0 + i a3, a2 + i a1; -a2 + i a1, a0 - i a3)
using Quaternion = std::array<double, 4>;

constexpr Quaternion conjugate(const Quaternion& a) {
  return {a[0], -a[1], -a[2], -a[3]};
}

constexpr Quaternion multiply(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
          a[0] * b[1] + a[1] * b[0] - (a[2] * b[3] - a[3] * b[2]),
          a[0] * b[2] + a[2] * b[0] - (a[3] * b[1] - a[1] * b[3]),
          a[0] * b[3] + a[3] * b[0] - (a[1] * b[2] - a[2] * b[1])};
}

/// Rows and columns of the three subgroups.
constexpr std::size_t kSubgroups[3][2] = {{0, 1}, {0, 2}, {1, 2}};

/// The part of w's 2x2 block to which SU(2) couples: Re tr (a w) = 2 (a0 r0 - a.r).
Quaternion block_of(const Link& w, std::size_t i, std::size_t j) {
  return {(w.e[i][i][0] + w.e[j][j][0]) / 2, (w.e[i][j][1] + w.e[j][i][1]) / 2,
          (w.e[i][j][0] - w.e[j][i][0]) / 2, (w.e[i][i][1] - w.e[j][j][1]) / 2};
}

/// u = a u in rows i and j.
void apply(const Quaternion& a, std::size_t i, std::size_t j, Link& u) {
  for (std::size_t k = 0; k < 3; ++k) {
    const double pr = u.e[i][k][0], pi = u.e[i][k][1], qr = u.e[j][k][0], qi = u.e[j][k][1];
    u.e[i][k][0] = (a[0] * pr - a[3] * pi) + (a[2] * qr - a[1] * qi);
    u.e[i][k][1] = (a[0] * pi + a[3] * pr) + (a[2] * qi + a[1] * qr);
    u.e[j][k][0] = (a[0] * qr + a[3] * qi) - (a[2] * pr + a[1] * pi);
    u.e[j][k][1] = (a[0] * qi - a[3] * qr) - (a[2] * pi - a[1] * pr);
  }
}

/// For each subgroup: `choose` gets k and V with block = k V, and gives what is to multiply from
/// the left.
template <class Choose>
void update(Link& u, const Link& staples, Choose&& choose) {
  Link w = multiply(u, staples);
  for (const auto& [i, j] : kSubgroups) {
    Quaternion v = block_of(w, i, j);
    const double k = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3]);
    if (k > 0) {
      for (double& x : v) x /= k;
    } else {
      v = {1, 0, 0, 0};
    }
    const Quaternion a = choose(k, v);
    apply(a, i, j, u);
    apply(a, i, j, w);
  }
}

/// An element of SU(2) with weight exp(alpha a0).
Quaternion draw_su2(double alpha, UniformStream& random) {
  Quaternion a{draw_su2_trace(alpha, random), 0, 0, 0};
  double norm = 0;
  do {  // a direction in space, without cosines
    norm = 0;
    for (std::size_t i = 1; i < 4; ++i) {
      a[i] = random.next_signed();
      norm += a[i] * a[i];
    }
  } while (norm > 1 || norm < 1e-6);
  const double scale = std::sqrt((1 - a[0] * a[0]) / norm);
  for (std::size_t i = 1; i < 4; ++i) a[i] *= scale;
  return a;
}

}  // namespace

double draw_su2_trace(double alpha, UniformStream& random) {
  // The square of the cosine of a uniform angle, from a uniform point in the disc.
  const auto point = [&random](double& x, double& norm) {
    double y = 0;
    do {
      x = random.next_signed();
      y = random.next_signed();
      norm = x * x + y * y;
    } while (norm > 1 || norm == 0);
  };
  double x = 0, norm = 0;
  if (alpha < 2) {
    // x has the density sqrt(1 - x^2); accept with probability exp(alpha (x - 1)).
    do {
      point(x, norm);
    } while (model::minus_log(random.next()) < alpha * (1 - x));
    return x;
  }
  for (;;) {
    point(x, norm);
    const double cosine2 = x * x / norm;
    const double delta =
        (model::minus_log(random.next()) + model::minus_log(random.next()) * cosine2) / alpha;
    const double r = random.next();
    if (r * r <= 1 - delta / 2) return 1 - delta;
  }
}

Heatbath::Heatbath(GlobalGauge& gauge, const HeatbathOptions& options)
    : gauge_(gauge), options_(options) {
  const Coordinates& lattice = gauge.lattice;
  for (const int extent : lattice) {
    if (extent % 2 != 0) {
      throw UsageError(fmt::format("lattice {}: the heat bath needs even extents, as 8x8x8x8",
                                   to_string(lattice)));
    }
  }
  if (!std::isfinite(options.beta) || options.beta < 0) {
    throw UsageError(fmt::format("beta {}: must be a number from 0, as 6.0", options.beta));
  }
  if (options.overrelaxations < 0 || options.threads < 1) {
    throw UsageError(fmt::format("--overrelax {}, --threads {}: from 0, and from 1",
                                 options.overrelaxations, options.threads));
  }
  const std::size_t volume = gauge.links.size();
  if (volume > std::numeric_limits<std::uint32_t>::max()) {
    throw UsageError(fmt::format("lattice {}: too large to generate", to_string(lattice)));
  }
  neighbour_.resize(volume);
  for (std::size_t i = 0; i < volume; ++i) {
    const Coordinates x = coordinates_of(static_cast<std::int64_t>(i), lattice);
    sites_[static_cast<std::size_t>(x[0] + x[1] + x[2] + x[3]) % 2].push_back(
        static_cast<std::uint32_t>(i));
    for (int mu = 0; mu < 4; ++mu) {
      const auto axis = static_cast<std::size_t>(mu);
      for (const int sign : {1, -1}) {
        Coordinates y = x;
        y[axis] = (y[axis] + sign + lattice[axis]) % lattice[axis];
        neighbour_[i][static_cast<std::size_t>(direction_of(mu, sign))] =
            static_cast<std::uint32_t>(lexicographic(y, lattice));
      }
    }
  }
}

Link Heatbath::staples(std::size_t site, std::size_t mu) const {
  const auto& links = gauge_.links;
  const auto forward = [this](std::size_t x, std::size_t axis) { return neighbour_[x][2 * axis]; };
  const auto backward = [this](std::size_t x, std::size_t axis) {
    return neighbour_[x][2 * axis + 1];
  };
  Link sum{};
  const auto add = [&sum](const Link& staple) {
    for (std::size_t r = 0; r < 3; ++r) {
      for (std::size_t c = 0; c < 3; ++c) {
        sum.e[r][c][0] += staple.e[r][c][0];
        sum.e[r][c][1] += staple.e[r][c][1];
      }
    }
  };
  const std::size_t ahead = forward(site, mu);
  for (std::size_t nu = 0; nu < 4; ++nu) {
    if (nu == mu) continue;
    // U_nu(x+mu) U_mu(x+nu)^dagger U_nu(x)^dagger
    add(multiply(links[ahead][nu],
                 adjoint(multiply(links[site][nu], links[forward(site, nu)][mu]))));
    // U_nu(x+mu-nu)^dagger U_mu(x-nu)^dagger U_nu(x-nu)
    const std::size_t below = backward(site, nu);
    add(multiply(adjoint(multiply(links[below][mu], links[forward(below, mu)][nu])),
                 links[below][nu]));
  }
  return sum;
}

template <class Update>
void Heatbath::for_each_link(Update&& update) {
  // Links of one axis on sites of one parity are in no common plaquette.
  for (const auto& sites : sites_) {
    for (std::size_t mu = 0; mu < 4; ++mu) {
      const auto threads = static_cast<std::size_t>(options_.threads);
      const auto part = [&](std::size_t thread) {
        const std::size_t end = sites.size() * (thread + 1) / threads;
        for (std::size_t i = sites.size() * thread / threads; i < end; ++i) update(sites[i], mu);
      };
      std::vector<std::jthread> others;
      for (std::size_t thread = 1; thread < threads; ++thread) others.emplace_back(part, thread);
      part(0);
    }
  }
}

void Heatbath::sweep() {
  // Keeps these streams apart from those of generated fields, whose second word is 0.
  constexpr std::uint32_t kTag = 0x48420000;
  for_each_link([this](std::uint32_t site, std::size_t mu) {
    UniformStream random(options_.seed, {site, kTag | static_cast<std::uint32_t>(mu), sweeps_});
    Link& u = gauge_.links[site][mu];
    update(u, staples(site, mu), [&](double k, const Quaternion& v) {
      return multiply(draw_su2(2 * k * options_.beta / 3, random), conjugate(v));
    });
    project_su3(u);
  });
  for (int i = 0; i < options_.overrelaxations; ++i) {
    for_each_link([this](std::uint32_t site, std::size_t mu) {
      update(gauge_.links[site][mu], staples(site, mu),
             [](double, const Quaternion& v) { return multiply(conjugate(v), conjugate(v)); });
    });
  }
  ++sweeps_;
}

}  // namespace ht::dirac
