// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/generate.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <complex>

#include "sw/dirac/gauge/gauge.hpp"

using namespace ht;
using dirac::FieldKind;
using dirac::GlobalGauge;

namespace {

std::complex<double> trace(const dirac::Link& u) {
  return {u.e[0][0][0] + u.e[1][1][0] + u.e[2][2][0], u.e[0][0][1] + u.e[1][1][1] + u.e[2][2][1]};
}

}  // namespace

TEST_CASE("generated links are in SU(3) and depend on every argument", "[generate]") {
  for (const FieldKind kind : {FieldKind::Unit, FieldKind::Weak, FieldKind::Hot}) {
    for (int i = 0; i < 500; ++i) {
      CHECK(dirac::unitarity_defect(dirac::generate_link(kind, 3, i * 977, i % 4)) < 2e-15);
    }
  }
  const auto corner = [](std::uint64_t seed, std::int64_t site, int mu) {
    return dirac::generate_link(FieldKind::Hot, seed, site, mu).e[0][0][0];
  };
  const double base = corner(1, 5, 2);
  CHECK(corner(1, 5, 2) == base);
  CHECK(corner(2, 5, 2) != base);
  CHECK(corner(1 + (std::uint64_t{1} << 32), 5, 2) != base);
  CHECK(corner(1, 6, 2) != base);
  CHECK(corner(1, 5 + (std::int64_t{1} << 32), 2) != base);
  CHECK(corner(1, 5, 3) != base);
}

TEST_CASE("hot links follow the Haar measure", "[generate]") {
  // Moments of the trace: <tr> = 0, <|tr|^2> = 1, <|tr|^4> = 2, Re <tr^3> = 1, <tr^2> = 0; of an
  // element: <|u|^2> = 1/3. Within five standard deviations.
  constexpr int kLinks = 200000;
  std::complex<double> t1, t2, t3;
  double a2 = 0, a4 = 0, corner = 0, last = 0;
  for (int i = 0; i < kLinks; ++i) {
    const dirac::Link u = dirac::generate_link(FieldKind::Hot, 8, i, i % 4);
    const std::complex<double> t = trace(u);
    t1 += t;
    t2 += t * t;
    t3 += t * t * t;
    a2 += std::norm(t);
    a4 += std::norm(t) * std::norm(t);
    corner += u.e[0][0][0] * u.e[0][0][0] + u.e[0][0][1] * u.e[0][0][1];
    last += u.e[1][2][0] * u.e[1][2][0] + u.e[1][2][1] * u.e[1][2][1];
  }
  const double n = kLinks, five = 5 / std::sqrt(n);
  CHECK(std::abs(t1) / n < five);                               // <|tr|^2> = 1
  CHECK(std::abs(t2) / n < five * std::sqrt(2.0));              // <|tr|^4> = 2
  CHECK(std::fabs(t3.real() / n - 1) < five * std::sqrt(6.0));  // <|tr|^6> = 6
  CHECK(std::fabs(t3.imag() / n) < five * std::sqrt(6.0));
  CHECK(std::fabs(a2 / n - 1) < five);                    // variance 2 - 1
  CHECK(std::fabs(a4 / n - 2) < five * std::sqrt(19.0));  // <|tr|^8> = 23
  CHECK(std::fabs(corner / n - 1.0 / 3) < five * 0.25);
  CHECK(std::fabs(last / n - 1.0 / 3) < five * 0.25);
}

TEST_CASE("fields of the three kinds have their plaquettes", "[generate]") {
  const dirac::Coordinates lattice{4, 4, 4, 8};
  const GlobalGauge unit = dirac::generate_gauge(FieldKind::Unit, 1, lattice);
  CHECK(unit.plaquette.space_space == 1);
  CHECK(unit.plaquette.space_time == 1);
  CHECK(unit.link_trace == 1);
  for (const std::uint64_t seed : {1, 2, 3}) {
    const GlobalGauge weak = dirac::generate_gauge(FieldKind::Weak, seed, lattice);
    CHECK(weak.plaquette.average() > 0.99);
    CHECK(weak.plaquette.average() < 0.999);
    const GlobalGauge hot = dirac::generate_gauge(FieldKind::Hot, seed, lattice);
    // <(Re tr P / 3)^2> = 1/18 for each of 1536 + 1536 plaquettes.
    CHECK(std::fabs(hot.plaquette.average()) < 5 / std::sqrt(18.0 * 3072));
    CHECK(std::fabs(hot.link_trace) < 5 / std::sqrt(18.0 * 2048));
  }
}

TEST_CASE("names of the kinds", "[generate]") {
  for (const FieldKind kind : {FieldKind::Unit, FieldKind::Weak, FieldKind::Hot}) {
    CHECK(dirac::parse_field_kind(dirac::to_string(kind)) == kind);
  }
  CHECK_FALSE(dirac::parse_field_kind("cold"));
}
