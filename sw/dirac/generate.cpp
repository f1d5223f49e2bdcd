// SPDX-License-Identifier: Apache-2.0
#include "sw/dirac/generate.hpp"

#include <Random123/philox.h>
#include <fmt/format.h>

namespace ht::dirac {
namespace {

/// Size of the random part of a weak link, before it is made unitary.
constexpr double kWeakStrength = 0.04;

/// Uniform numbers in (-1, 1), one stream a link.
class Stream {
 public:
  Stream(std::uint64_t seed, std::int64_t site, int mu) {
    const auto s = static_cast<std::uint64_t>(site);
    key_ = {{low(seed), high(seed)}};
    counter_ = {{low(s), high(s), static_cast<std::uint32_t>(mu), 0}};
  }

  double next() {
    if (used_ == 4) {
      block_ = r123::Philox4x32{}(counter_, key_);
      ++counter_[3];
      used_ = 0;
    }
    // 32 bits, centred: exact in double.
    return (static_cast<double>(block_[used_++]) + 0.5) * 0x1p-31 - 1;
  }

 private:
  static std::uint32_t low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
  static std::uint32_t high(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

  r123::Philox4x32::key_type key_{};
  r123::Philox4x32::ctr_type counter_{}, block_{};
  unsigned used_ = 4;
};

/// A point in the unit ball of C^3, by rejection: its direction is uniform without any log or cos.
void ball(Stream& stream, double (&row)[3][2]) {
  for (;;) {
    double norm = 0;
    for (auto& c : row) {
      for (double& x : c) {
        x = stream.next();
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
  Stream stream(seed, global_site, mu);
  if (kind == FieldKind::Weak) {
    for (std::size_t i = 0; i < 2; ++i) {
      for (auto& c : u.e[i]) {
        for (double& x : c) x += kWeakStrength * stream.next();
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
