// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/gauge/generate.hpp"

#include <fmt/format.h>

#include "sw/dirac/gauge/uniform_stream.hpp"

namespace ht::dirac {
namespace {

/// Size of the random part of a weak link, before it is made unitary.
constexpr double kWeakStrength = 0.04;

/// One stream a link.
UniformStream stream_of(std::uint64_t seed, std::int64_t site, int mu) {
  const auto s = static_cast<std::uint64_t>(site);
  return {seed,
          {static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(s >> 32),
           static_cast<std::uint32_t>(mu)}};
}

/// A point in the unit ball of C^3, by rejection: its direction is uniform without any log or cos.
void ball(UniformStream& stream, double (&row)[3][2]) {
  for (;;) {
    double norm = 0;
    for (auto& c : row) {
      for (double& x : c) {
        x = stream.next_signed();
        norm += x * x;
      }
    }
    if (norm < 1 && norm > 1e-4) return;
  }
}

}  // namespace

std::optional<FieldKind> parse_field_kind(std::string_view name) {
  for (const FieldKind kind : {FieldKind::Unit, FieldKind::Weak, FieldKind::Hot}) {
    if (name == to_string(kind)) return kind;
  }
  return std::nullopt;
}

std::string_view to_string(FieldKind kind) {
  switch (kind) {
    case FieldKind::Unit:
      return "unit";
    case FieldKind::Weak:
      return "weak";
    case FieldKind::Hot:
      break;
  }
  return "hot";
}

std::string describe(FieldKind kind, std::uint64_t seed) {
  return kind == FieldKind::Unit ? std::string("unit field")
                                 : fmt::format("{} field, seed {}", to_string(kind), seed);
}

Link generate_link(FieldKind kind, std::uint64_t seed, std::int64_t global_site, int mu) {
  Link u = unit_link();
  if (kind == FieldKind::Unit) return u;
  UniformStream stream = stream_of(seed, global_site, mu);
  if (kind == FieldKind::Weak) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (auto& c : u.e[i]) {
        for (double& x : c) x += kWeakStrength * stream.next_signed();
      }
    }
  } else {
    // Two independent isotropic rows, made orthonormal: Haar measure, since it is unchanged by any
    // unitary rotation of both and SU(3) has one such measure.
    ball(stream, u.e[0]);
    ball(stream, u.e[1]);
  }
  project_su3(u);
  return u;
}

}  // namespace ht::dirac
