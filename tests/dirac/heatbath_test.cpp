// SPDX-License-Identifier: Apache-2.0
// The heat bath against exact results: its SU(2) distribution, and plaquettes at small beta.
#include "sw/dirac/gauge/heatbath.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <numbers>

#include "sw/dirac/gauge/statistics.hpp"
#include "sw/host/errors.hpp"
#include "tests/dirac/plaquette_chain.hpp"

using namespace ht;
using namespace ht::dirac;
using test::measure_chain;

namespace {

/// <Re tr U>/3 with weight exp(beta Re tr U / 3), by Weyl's integral over the eigenvalues' angles.
/// The trapezoidal rule is exact to rounding for periodic analytic functions.
double one_plaquette(double beta) {
  constexpr int n = 96;
  double sum = 0, weight_sum = 0;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double p = 2 * std::numbers::pi * i / n, q = 2 * std::numbers::pi * j / n;
      const double re_tr = std::cos(p) + std::cos(q) + std::cos(p + q);
      const auto s2 = [](double x) { return std::pow(std::sin(x / 2), 2); };
      const double measure = s2(p - q) * s2(2 * p + q) * s2(p + 2 * q);
      const double weight = measure * std::exp(beta * re_tr / 3);
      sum += weight * re_tr / 3;
      weight_sum += weight;
    }
  }
  return sum / weight_sum;
}

bool same_bits(const GlobalGauge& a, const GlobalGauge& b) {
  return std::memcmp(a.links.data(), b.links.data(), a.links.size() * sizeof(SiteLinks)) == 0;
}

}  // namespace

TEST_CASE("SU(2) heat bath has the exact moments", "[heatbath]") {
  // Density sqrt(1 - a^2) exp(alpha a): <a> = I_2 / I_1, <a^2> = 1 - 3 I_2 / (alpha I_1).
  for (const double alpha : {0.3, 1.0, 1.99, 2.0, 3.7, 11.0, 40.0}) {
    CAPTURE(alpha);
    const double ratio = std::cyl_bessel_i(2, alpha) / std::cyl_bessel_i(1, alpha);
    const double mean2 = 1 - 3 * ratio / alpha;
    UniformStream random(7, {static_cast<std::uint32_t>(alpha * 100), 0, 0});
    constexpr int n = 200'000;
    double sum = 0, sum2 = 0, sum4 = 0;
    for (int i = 0; i < n; ++i) {
      const double a = draw_su2_trace(alpha, random);
      REQUIRE(std::fabs(a) <= 1);
      sum += a;
      sum2 += a * a;
      sum4 += a * a * a * a;
    }
    const double sigma = std::sqrt((mean2 - ratio * ratio) / n);
    CHECK(std::fabs(sum / n - ratio) < 4 * sigma);
    const double sigma2 = std::sqrt((sum4 / n - mean2 * mean2) / n);
    CHECK(std::fabs(sum2 / n - mean2) < 4 * sigma2);
  }
}

TEST_CASE("one plaquette's integral starts as the strong-coupling series", "[heatbath]") {
  // u = beta/18 + beta^2/216 + O(beta^4): the first two terms alone at small beta.
  for (const double beta : {0.01, 0.05}) {
    CHECK(one_plaquette(beta) ==
          Approx(beta / 18 + beta * beta / 216).margin(beta * beta * beta * beta));
  }
}

TEST_CASE("plaquettes at strong coupling", "[heatbath]") {
  // In four dimensions <P> = u + 4 u^5 + ..., u being one plaquette's: the five other faces of each
  // of the four cubes at a plaquette (Drouffe and Zuber, Phys. Rept. 102 (1983) 1, section 3).
  for (const int overrelaxations : {0, 1}) {
    HeatbathOptions options;
    options.beta = 1 + overrelaxations;
    options.overrelaxations = overrelaxations;
    const double u = one_plaquette(options.beta);
    const double expected = u + 4 * std::pow(u, 5);
    const ChainMean got = measure_chain({4, 4, 4, 4}, FieldKind::Hot, options, 20, 500);
    CAPTURE(options.beta, got.mean, got.error, expected);
    CHECK(got.error < 5e-4);
    CHECK(std::fabs(got.mean - expected) < 4 * got.error);
  }
}

TEST_CASE("plaquettes at weak coupling", "[heatbath]") {
  // 1 - <P> = c1 g^2 + c2 g^4 + c3 g^6, g^2 = 6/beta, for SU(N), N = 3 (Alles, Feo and
  // Panagopoulos, Phys. Lett. B 426 (1998) 361, hep-lat/9801003). The next term, near 9 / beta^4,
  // and the volume's, below 1 / (beta V), are allowed for.
  constexpr double n = 3, group = n * n - 1;
  constexpr double c1 = group / (8 * n), c2 = group * (0.0051069297 - 1 / (128 * n * n)),
                   c3 = group * (0.0023152583 / (n * n * n) - 0.002265487 / n + 0.000794223 * n);
  for (const double beta : {20.0, 60.0}) {
    HeatbathOptions options;
    options.beta = beta;
    options.overrelaxations = 1;
    const double g2 = 6 / beta;
    const double expected = 1 - g2 * (c1 + g2 * (c2 + g2 * c3));
    const ChainMean got = measure_chain({6, 6, 6, 6}, FieldKind::Unit, options, 30, 60);
    const double beyond = 12 / std::pow(beta, 4) + 1 / (beta * 1296);
    CAPTURE(beta, got.mean, got.error, expected, beyond);
    CHECK(got.error < 0.2 * c2 * g2 * g2);
    CHECK(std::fabs(got.mean - expected) < 4 * got.error + beyond);
  }
}

TEST_CASE("hot and cold starts meet near the published plaquette", "[heatbath]") {
  // 6^4 at beta 6.0 is smaller than it should be and the chain short: a coarse check. The nightly
  // test measures.
  HeatbathOptions options;
  options.beta = 6.0;
  options.overrelaxations = 1;
  for (const FieldKind start : {FieldKind::Unit, FieldKind::Hot}) {
    const ChainMean got = measure_chain({6, 6, 6, 6}, start, options, 50, 40);
    CAPTURE(to_string(start), got.mean, got.error);
    CHECK(got.mean == Approx(0.5937).margin(0.004));
  }
}

TEST_CASE("over-relaxation keeps the action, and moves the field", "[heatbath]") {
  HeatbathOptions options;
  options.beta = 6.0;
  options.overrelaxations = 0;
  GlobalGauge once = generate_gauge(FieldKind::Hot, 3, {4, 4, 4, 4});
  GlobalGauge more = once;
  Heatbath(once, options).sweep();
  options.overrelaxations = 5;
  Heatbath(more, options).sweep();
  measure(once);
  measure(more);
  CHECK(more.plaquette.average() == Approx(once.plaquette.average()).margin(1e-13));
  CHECK(std::fabs(more.link_trace - once.link_trace) > 1e-6);
  for (const SiteLinks& site : more.links) {
    for (const Link& u : site) REQUIRE(unitarity_defect(u) < 1e-13);
  }
}

TEST_CASE("threads change no bit, seeds do", "[heatbath]") {
  HeatbathOptions options;
  const GlobalGauge start = generate_gauge(FieldKind::Hot, 1, {4, 2, 6, 4});
  const auto run = [&](std::uint64_t seed, int threads) {
    GlobalGauge gauge = start;
    options.seed = seed;
    options.threads = threads;
    Heatbath heatbath(gauge, options);
    for (int i = 0; i < 3; ++i) heatbath.sweep();
    return gauge;
  };
  const GlobalGauge one = run(1, 1);
  CHECK(same_bits(one, run(1, 3)));
  CHECK_FALSE(same_bits(one, run(2, 1)));
}

TEST_CASE("lattices and options that cannot be are refused", "[heatbath]") {
  GlobalGauge odd = generate_gauge(FieldKind::Unit, 1, {4, 3, 4, 4});
  GlobalGauge even = generate_gauge(FieldKind::Unit, 1, {2, 2, 2, 2});
  CHECK_THROWS_AS(Heatbath(odd, {}), UsageError);
  CHECK_THROWS_AS(Heatbath(even, {.beta = -1}), UsageError);
  CHECK_THROWS_AS(Heatbath(even, {.beta = NAN}), UsageError);
  CHECK_THROWS_AS(Heatbath(even, {.overrelaxations = -1}), UsageError);
  CHECK_THROWS_AS(Heatbath(even, {.threads = 0}), UsageError);
}

TEST_CASE("a chain's error knows of its autocorrelation", "[statistics]") {
  // x' = r x + noise: variance 1, integrated autocorrelation time (1 + r) / (2 (1 - r)).
  UniformStream random(5, {1, 2, 3});
  double x = 0;
  const auto chain_of = [&](double r, int length) {
    std::vector<double> chain;
    for (int i = 0; i < length; ++i) {
      double noise = 0;  // variance 1: twelve uniform numbers
      for (int k = 0; k < 12; ++k) noise += random.next();
      x = r * x + std::sqrt(1 - r * r) * (noise - 6);
      chain.push_back(x);
    }
    return chain;
  };
  for (const double r : {0.0, 0.8}) {
    CAPTURE(r);
    const ChainMean got = chain_mean(chain_of(r, 40'000));
    const double tau = (1 + r) / (2 * (1 - r));
    CHECK(got.naive_error == Approx(1 / std::sqrt(40'000.0)).epsilon(0.05));
    CHECK(got.autocorrelation == Approx(tau).epsilon(0.15));
    CHECK(std::fabs(got.mean) < 4 * got.error);
  }
  // A hundred measurements, some thirty autocorrelation times: means spread as the errors say.
  double spread = 0, said = 0;
  constexpr int chains = 1000;
  for (int i = 0; i < chains; ++i) {
    const ChainMean got = chain_mean(chain_of(5.0 / 7, 100));
    spread += got.mean * got.mean / chains;
    said += got.error * got.error / chains;
  }
  CHECK(std::sqrt(said / spread) == Approx(1).margin(0.15));
  CHECK(chain_mean(std::vector<double>{3, 3, 3}).error == 0);
  CHECK_THROWS_AS(chain_mean(std::vector<double>{1.0}), UsageError);
}
